/*
 * large_globals [bytes touched]: a program of the shape of SPLASH-2's radix and barnes, whose arrays are globals. Process 0 writes here and
 * there before it creates the others; each finds that and its zeros, adds what is its own, and sorts into the shared heap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

#ifndef BYTES
#define BYTES (2600 << 10)
#endif
enum { WORDS = BYTES / 4, STEP = WORDS / 61 };
static int keys[WORDS];
static struct shared { ts_barrier_t all; int wrong[256]; } *shared;
static int bodies[16] = {[3] = 77};

static int expected(int i) { return i % (3 * STEP) ? 0 : i * 7 + 1; }

static void work(void)
{
    const int me = ts_self();
    int wrong = bodies[3] != 77;

    for (int i = 0; i < WORDS; i += STEP) wrong += keys[i] != expected(i);
    ts_barrier(&shared->all, 0);
    for (int i = 0; i < WORDS; i += STEP) keys[i] = me + i;
    ts_barrier(&shared->all, 0);
    for (int i = 0; i < WORDS; i += STEP) wrong += keys[i] != me + i;
    shared->wrong[me] = wrong;
}

int main(void)
{
    int wrong = 0;

    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    for (int i = 0; i < WORDS; i += 3 * STEP) keys[i] = expected(i);
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    for (int i = 0; i < ts_processes(); i++) wrong += shared->wrong[i];
    char *local = malloc(100000); /* behind the globals */
    local[99999] = 1;
    printf("large_globals: %d words, %d wrong, last global at %p\n", WORDS, wrong, (void *)&keys[WORDS - 1]);
    return wrong != 0 || !local;
}
