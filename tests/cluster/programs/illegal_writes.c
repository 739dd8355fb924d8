/*
 * Ten write-backs in a row that the tags forbid: with tests/cluster/firmware/forgets_to_flush.c the sP takes ten lines away that
 * lie modified in a cache, the program evicts them, and goes on as before. Prints their address, then whether each line has,
 * when the sP has given it back, what was stored in it.
 */
#include <stdint.h>
#include <stdio.h>
#include <turnstile.h>

/* APART: from the sets of the cache in which the program's globals and stack lie, so that nothing but the program evicts the lines. */
enum { TAKE = 6, GIVE_BACK, LINES = 10, WORDS = 16, CACHE = 8192, APART = 0x800 };

void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);
uint32_t express_receive(uint32_t tag);

static volatile uint32_t *lines;
static int wrong;

static void ask(uint32_t tag)
{
    express_send(ts_site() << 3 | 1, tag, (uint32_t)lines, 0);
    express_receive(tag);
}

static void work(void)
{
    uint32_t i, k;

    if (ts_self() != ts_processes() - 1) return;
    lines = (volatile uint32_t *)((char *)ts_alloc_pages(3 * CACHE, ts_self(), 64) + APART);
    for (i = 0; i < LINES; i++)
        for (k = 0; k < WORDS; k++)
            lines[i * WORDS + k] = 0x01020304u * (i + 1) + k;
    ask(TAKE);
    for (i = 0; i < LINES; i++) /* evicts line i, and is written itself */
        lines[CACHE / 4 + i * WORDS] = i;
    for (i = 0; i < LINES; i++) /* legal write-backs again */
        lines[2 * CACHE / 4 + i * WORDS] = i;
    ask(GIVE_BACK);
    for (i = 0; i < LINES * WORDS; i++)
        wrong |= lines[i] != 0x01020304u * (i / WORDS + 1) + i % WORDS;
    for (i = 0; i < LINES; i++)
        wrong |= lines[CACHE / 4 + i * WORDS] != i || lines[2 * CACHE / 4 + i * WORDS] != i;
    printf("lines at %08lx: %s\n", (unsigned long)lines, wrong ? "wrong" : "correct");
}

int main(void)
{
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    return wrong;
}
