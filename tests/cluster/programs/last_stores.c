/* Process 1 writes 16 KB, twice what its cache holds, at home; nobody ever reads them. */
#include <stdio.h>
#include <stdint.h>
#include <turnstile.h>

enum { WORDS = 4096 };
static volatile uint32_t *words;

static void work(void)
{
    if (ts_self() == 1)
        for (uint32_t i = 0; i < WORDS; i++) words[i] = 0x01020304u * (i % 61 + 1) + i;
}

int main(void)
{
    words = ts_alloc_pages(WORDS * sizeof *words, 1, 0);
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("written\n");
    return 0;
}
