/*
 * The smallest parallel program: every process adds its number to a shared sum under a lock, all meet at a barrier, and
 * process 0 checks the sum. Plain C on turnstile.h; the programs in the folders beside it are written in PARMACS.
 */
#include <stdio.h>
#include <turnstile.h>

/* What is shared lives in memory from ts_alloc; this pointer is private, and CREATE copies it to every process. */
struct shared {
    ts_lock_t lock;
    ts_barrier_t all_added;
    int sum;
};
static struct shared *shared;

static void work(void)
{
    ts_lock(&shared->lock);
    shared->sum += ts_self();
    ts_unlock(&shared->lock);
    ts_barrier(&shared->all_added, 0);
    printf("hello from process %d of %d on site %d\n", ts_self(), ts_processes(), ts_site());
}

int main(void)
{
    int processes = ts_processes(), expected = processes * (processes - 1) / 2;

    shared = ts_alloc(sizeof *shared);
    shared->sum = 0;
    ts_lock_init(&shared->lock, 1);
    ts_barrier_init(&shared->all_added, processes);
    ts_create_all(work, processes);
    ts_wait_for_end(processes);
    if (shared->sum != expected) {
        printf("hello: the sum is %d, expected %d\n", shared->sum, expected);
        return 1;
    }
    printf("hello: the sum is %d, correct\n", shared->sum);
    return 0;
}
