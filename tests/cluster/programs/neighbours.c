/*
 * neighbours STRIDE [LOOK]: each process adds to a word of its own, STRIDE bytes from the next one's; with 0 all add to one word, each in its
 * turn. LOOK: each looks at the word of process 0, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

enum { ROUNDS = 20 };
static struct shared {
    ts_barrier_t all;
    volatile int *words;
    int stride, look;
} *shared;

static void work(void)
{
    const int me = ts_self();

    ts_barrier(&shared->all, 0);
    if (me == 0) ts_mark(1);
    ts_barrier(&shared->all, 0);
    for (int i = 0; i < ROUNDS; i++) {
        for (int turn = 0; shared->stride == 0 && turn < me; turn++) ts_barrier(&shared->all, 0);
        shared->words[me * shared->stride / 4]++;
        if (shared->look) (void)shared->words[0];
        for (int turn = me; shared->stride == 0 && turn < ts_processes(); turn++) ts_barrier(&shared->all, 0);
    }
    ts_barrier(&shared->all, 0);
    if (me == 0) ts_mark(2);
}

int main(int argc, char **argv)
{
    int sum = 0;

    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    shared->stride = argc > 1 ? atoi(argv[1]) : 0;
    shared->look = argc > 2;
    shared->words = ts_alloc_pages(4096, 0, 0);
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    for (int i = 0; i < (shared->stride ? ts_processes() : 1); i++) sum += shared->words[i * shared->stride / 4];
    printf("neighbours: page %lx, %s\n", (unsigned long)shared->words, sum == ROUNDS * ts_processes() ? "correct" : "wrong");
    return sum != ROUNDS * ts_processes();
}
