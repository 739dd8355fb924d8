/*
 * A ring of producers: in each step every process writes its own page from what its left neighbour wrote in the step before. Argument: the
 * page mode; with update each process releases what it wrote before it lets others read.
 */
#include <stdio.h>
#include <string.h>
#include <turnstile.h>

enum { WORDS = 128, STEPS = 6, MOST = 16 };
static const char *mode;
static uint32_t *page[MOST][2];
static ts_barrier_t *all;

/* Others may read what was written to pages of the home of `process`. */
static void written(int process)
{
    if (mode && !strcmp(mode, "update")) ts_call(process, "update.release", 0);
}

static void work(void)
{
    int self = ts_self(), n = ts_processes(), left = (self + n - 1) % n;

    for (int i = 0; i < WORDS; i++) page[self][0][i] = (uint32_t)(self * 1000 + i);
    written(-1);
    ts_barrier(all, 0);
    for (int step = 1; step <= STEPS; step++) {
        const uint32_t *from = page[left][(step - 1) % 2];
        uint32_t *to = page[self][step % 2];
        for (int i = 0; i < WORDS; i++) to[i] = from[i] * 3 + (uint32_t)step;
        written(-1);
        ts_barrier(all, 0);
    }
}

/* A store to a page of another's home: seen there after the release. */
static void visit(void)
{
    int self = ts_self(), n = ts_processes();
    uint32_t *theirs = page[(self + 1) % n][0];

    theirs[1000] = 77u + (uint32_t)self;
    written((self + 1) % n);
    ts_barrier(all, 0);
    uint32_t got = page[self][0][1000], wanted = 77u + (uint32_t)((self + n - 1) % n);
    if (got != wanted) ts_fail("the neighbour's store: %lu, not %lu", (unsigned long)got, (unsigned long)wanted);
}

static void both(void)
{
    work();
    visit();
}

int main(int argc, char **argv)
{
    int n = ts_processes();

    if (argc > 1) mode = argv[1];
    all = ts_alloc(sizeof *all);
    ts_barrier_init(all, n);
    for (int p = 0; p < n; p++)
        for (int k = 0; k < 2; k++) page[p][k] = mode ? ts_alloc_mode(4096, p, 0, mode) : ts_alloc_pages(4096, p, 0);
    unsigned long start = ts_clock();
    ts_create_all(both, n);
    ts_wait_for_end(n);
    for (int p = 0; p < n; p++)
        for (int i = 0; i < WORDS; i++) {
            uint32_t wanted = (uint32_t)(((p - STEPS) % n + n) % n * 1000 + i);
            for (int step = 1; step <= STEPS; step++) wanted = wanted * 3 + (uint32_t)step;
            if (page[p][STEPS % 2][i] != wanted) ts_fail("page %d word %d: %lu, not %lu", p, i, (unsigned long)page[p][STEPS % 2][i], (unsigned long)wanted);
        }
    printf("updates: correct, %lu %s\n", ts_clock() - start, ts_clock_unit);
    return 0;
}
