/*
 * Records that every process changes in turn, each under its lock: what a migratory protocol is for (docs/user/new-protocol.md).
 *     records [-m mode] [-s service] [-r rounds]
 * -s: what a service of the protocol answers at each site is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

enum { RECORDS = 16, BLOCKS = 4, WORDS = TS_BLOCK / 4 };
struct record {
    uint32_t block[BLOCKS][WORDS];
};

static const char *mode, *service;
static int rounds = 32;
static struct record *records;
static ts_lock_t *locks;
static ts_barrier_t *all;

/* One word of each block of a record, read and written. */
static void change(struct record *r)
{
    for (int i = 0; i < BLOCKS; i++) r->block[i][0]++;
}

static void work(void)
{
    ts_barrier(all, 0);
    unsigned long start = ts_clock();
    for (int i = 0; i < rounds; i++) {
        int which = (i * 5 + ts_self() * 3) % RECORDS;
        ts_lock(&locks[which]);
        change(&records[which]);
        ts_unlock(&locks[which]);
    }
    ts_barrier(all, 0);
    if (ts_self() == 0) printf("%d rounds of %d processes: %lu %s\n", rounds, ts_processes(), ts_clock() - start, ts_clock_unit);
}

static void check(void)
{
    uint32_t sum[BLOCKS] = {0};

    for (int i = 0; i < RECORDS; i++)
        for (int k = 0; k < BLOCKS; k++) sum[k] += records[i].block[k][0];
    for (int k = 0; k < BLOCKS; k++)
        if (sum[k] != (uint32_t)(rounds * ts_processes())) ts_fail("block %d: %lu changes, not %d", k, (unsigned long)sum[k], rounds * ts_processes());
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (argv[i][1] == 'm') mode = argv[i + 1];
        else if (argv[i][1] == 's') service = argv[i + 1];
        else if (argv[i][1] == 'r') rounds = atoi(argv[i + 1]);
    records = mode ? ts_alloc_mode(RECORDS * sizeof *records, -1, 0, mode) : ts_alloc_pages(RECORDS * sizeof *records, -1, 0);
    locks = ts_alloc(RECORDS * sizeof *locks);
    all = ts_alloc(sizeof *all);
    ts_lock_init(locks, RECORDS);
    ts_barrier_init(all, ts_processes());
    for (int i = 0; i < RECORDS; i++)
        for (int k = 0; k < BLOCKS; k++) records[i].block[k][0] = 0;
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    check();
    if (service)
        for (int p = 0; p < ts_processes(); p++) printf("%s at the site of process %d: %lu\n", service, p, (unsigned long)ts_call(p, service, 0));
    printf("records: correct\n");
    return 0;
}
