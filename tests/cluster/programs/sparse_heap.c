/*
 * sparse_heap MEGABYTES: a heap far larger than what is touched of it. Each process writes a word here and there in all of it, and finds
 * what its neighbour wrote; one page has blocks and a home of its own choice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

enum { STEP = 1 << 20, PLACES = 512 };
static struct shared { ts_barrier_t all; int wrong[256]; } *shared;
static volatile int *heap, *chosen;
static int megabytes;

static volatile int *place(int i, int process) { return heap + (unsigned)i * (STEP / 4) + process * 1031; }

static void work(void)
{
    const int me = ts_self(), other = (me + 1) % ts_processes();
    int wrong = 0;

    for (int i = 0; i < megabytes; i++) *place(i, me) = me * PLACES + i + 1;
    chosen[me] = me + 1;
    ts_barrier(&shared->all, 0);
    for (int i = megabytes - 1; i >= 0; i--) wrong += *place(i, other) != other * PLACES + i + 1;
    wrong += chosen[other] != other + 1;
    shared->wrong[me] = wrong;
}

int main(int argc, char **argv)
{
    int wrong = 0;

    megabytes = argc > 1 ? atoi(argv[1]) : 100;
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    heap = ts_alloc((size_t)megabytes * STEP);
    chosen = ts_alloc_pages(4096, ts_processes() - 1, 64);
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    for (int i = 0; i < ts_processes(); i++) wrong += shared->wrong[i];
    printf("sparse_heap: %d MB from %p, page at %p, %d wrong\n", megabytes, (void *)heap, (void *)chosen, wrong);
    return wrong != 0;
}
