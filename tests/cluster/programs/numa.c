/*
 * Pages of mode numa (VY-12, asked test VY-T6): each process, at once, stores words and single bytes to its right neighbour's page, so
 * that every home serves while its own process waits, and reads them back more than once, far apart in time. Argument: rounds. Process 0's own page is
 * a counter besides, that all add to under a lock.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

enum { MOST = 16, WORDS = 8, STEP = TS_BLOCK / 4, APART = 400 };

static int rounds = 4;
static volatile uint32_t *page[MOST], *counter;
static ts_lock_t *lock;
static ts_barrier_t *all;

/* Longer than a visit: the next access finds nothing here. */
static void pause(void)
{
    for (int i = 0; i < APART; i++) __asm__ volatile("nop");
}

static uint32_t word_of(int process, int round, int i) { return (uint32_t)(process * 0x01010101 + round * 0x1000 + i * 7); }

static void work(void)
{
    int self = ts_self(), n = ts_processes(), right = (self + 1) % n;
    volatile uint32_t *there = page[right];
    volatile uint8_t *bytes = (volatile uint8_t *)&page[right][WORDS * STEP];

    ts_barrier(all, 0);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < WORDS; i++, pause()) there[i * STEP] = word_of(self, round, i);
        for (int i = 0; i < 4; i++, pause()) bytes[i] = (uint8_t)(self + round * 4 + i);
        for (int again = 0; again < 2; again++)
            for (int i = 0; i < WORDS; i++, pause()) {
                uint32_t found = there[i * STEP];
                if (found != word_of(self, round, i)) ts_fail("numa: word %d is %lx, not %lx", i, (unsigned long)found, (unsigned long)word_of(self, round, i));
            }
        for (int i = 0; i < 4; i++, pause())
            if (bytes[i] != (uint8_t)(self + round * 4 + i)) ts_fail("numa: byte %d is %u, not %u", i, bytes[i], self + round * 4 + i);
        ts_lock(lock);
        ++*counter;
        ts_unlock(lock);
        ts_barrier(all, 0);
        uint32_t mine = page[self][0], wanted = word_of((self + n - 1) % n, round, 0);
        if (mine != wanted) ts_fail("numa: the home reads %lx, not %lx", (unsigned long)mine, (unsigned long)wanted);
        ts_barrier(all, 0);
    }
}

int main(int argc, char **argv)
{
    int n = ts_processes();

    if (argc > 1) rounds = atoi(argv[1]);
    all = ts_alloc(sizeof *all);
    lock = ts_alloc(sizeof *lock);
    ts_barrier_init(all, n);
    ts_lock_init(lock, 1);
    for (int p = 0; p < n; p++) page[p] = ts_alloc_mode(8192, p, 0, "numa");
    counter = page[0] + 1024;
    *counter = 0;
    ts_create_all(work, n);
    ts_wait_for_end(n);
    if (*counter != (uint32_t)(rounds * n)) ts_fail("numa: counted %lu, not %d", (unsigned long)*counter, rounds * n);
    printf("numa: correct\n");
    return 0;
}
