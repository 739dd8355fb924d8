/* What an atomic_fetch_add costs: of a word nobody else wants, and of one that all processes want. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <turnstile.h>

enum { ALONE = 200, TOGETHER = 50 };

static struct shared {
    ts_barrier_t all;
    _Alignas(2048) _Atomic uint32_t alone;
    _Alignas(2048) _Atomic uint32_t together;
} *shared;
static unsigned long took;

static unsigned long add(_Atomic uint32_t *word, int count)
{
    unsigned long began = ts_clock();
    for (int i = 0; i < count; i++) atomic_fetch_add(word, 1);
    return ts_clock() - began;
}

static void work(void)
{
    ts_barrier(&shared->all, 0);
    unsigned long began = ts_clock();
    add(&shared->together, TOGETHER);
    ts_barrier(&shared->all, 0);
    if (ts_self() == 0) took = ts_clock() - began;
}

int main(void)
{
    int n = ts_processes();

    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, n);
    shared->alone = shared->together = 0;
    add(&shared->alone, 2); /* code and data are in the caches */
    unsigned long alone = add(&shared->alone, ALONE);
    ts_create_all(work, n);
    ts_wait_for_end(n - 1);
    if (shared->alone != ALONE + 2 || shared->together != (uint32_t)(n * TOGETHER)) ts_fail("a sum is wrong");
    unsigned long each = took / (unsigned long)(n * TOGETHER);
    printf("fetch_add: alone %lu.%02lu cycles, of %d processes together one every %lu cycles\n", alone / ALONE, alone % ALONE * 100 / ALONE, n, each);
    return 0;
}
