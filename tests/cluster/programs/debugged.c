/* Something for gdb to look at (tests/cluster/test_gdb.py): each process calls add() once, process 1 with 3 and 4. For SITES=2. */
#include <stdio.h>
#include <turnstile.h>

static struct shared {
    ts_barrier_t all;
    int sum[2];
} *shared;
static int mine = 5;

__attribute__((noinline, noclone)) static int add(int a, int b)
{
    mine += a;
    shared->sum[ts_self()] = b;
    return a * b;
}

static void work(void)
{
    ts_barrier(&shared->all, 0);
    const int product = add(ts_self() + 2, ts_self() + 3);
    ts_barrier(&shared->all, 0);
    printf("debugged: %d %d\n", product, mine);
}

int main(void)
{
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, 2);
    ts_create_all(work, 2);
    ts_wait_for_end(2);
    printf("debugged: sums %d %d\n", shared->sum[0], shared->sum[1]);
    return 0;
}
