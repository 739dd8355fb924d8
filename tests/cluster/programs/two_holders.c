/*
 * Process 0 takes a lock and keeps it until process 1 has surely asked for it and had time to be let in. When a lock is one, process 1
 * comes in after process 0 has left, and nothing here depends on chance.
 */
#include <turnstile.h>
#include <stdio.h>

enum { LONG = 5000 /* loads of another's word: many times what a lock takes */ };

static struct shared {
    ts_lock_t lock;
    ts_barrier_t all;
    volatile int holds, inside[2];
} *shared;

static void work(void)
{
    int self = ts_self();

    ts_barrier(&shared->all, 0);
    if (self == 0) {
        ts_lock(&shared->lock);
        shared->inside[0] = shared->holds = 1;
        for (int i = 0; i < LONG; i++)
            if (shared->inside[1]) ts_fail("two hold the lock: process 1 came in while process 0 was inside");
        shared->inside[0] = 0;
        ts_unlock(&shared->lock);
    } else if (self == 1) {
        while (!shared->holds) ts_relax();
        ts_lock(&shared->lock);
        shared->inside[1] = 1;
        if (shared->inside[0]) ts_fail("two hold the lock: process 1 came in while process 0 was inside");
        ts_unlock(&shared->lock);
    }
    ts_barrier(&shared->all, 0);
}

int main(void)
{
    int n = ts_processes();

    shared = ts_alloc(sizeof *shared);
    ts_lock_init(&shared->lock, 1);
    ts_barrier_init(&shared->all, n);
    shared->holds = shared->inside[0] = shared->inside[1] = 0;
    ts_create_all(work, n);
    ts_wait_for_end(n);
    printf("two_holders: %s\n", shared->inside[1] ? "correct" : "process 1 was never inside");
    return !shared->inside[1];
}
