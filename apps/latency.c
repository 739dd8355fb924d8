/*
 * Latencies of the memory system, for `make bench`: on 4 sites with one aP each, process 1 does what is measured, on blocks
 * whose home is site 0; process 2 is the other sharer or owner. Each kind of access runs between two marks, so that the
 * simulator's report gives its misses by themselves (phases of report.json): 1 clean read, 2 upgrade with one remote sharer,
 * 3 write with a dirty remote owner, 4 and 5 misses served through an Exclusive and a Shared tag, 6 through no tag, 7 Express.
 *     latency [mode]
 * The blocks at site 0 are in pages of that mode; without it, of the first protocol.
 */
#include <stdint.h>
#include <stdio.h>
#include <turnstile.h>

enum { BLOCKS = 64, STEP = TS_BLOCK / sizeof(int), REQUESTER = 1, OTHER = 2, ROUNDS = 32 };
#define EXPRESS_TX(tag, name) (*(volatile uint32_t *)(0xf0200000u + (2u << 17) + ((tag) << 12) + ((name) << 3)))
#define EXPRESS_META (*(volatile uint32_t *)(0xf0400000u + (2u << 12) + 4))
#define EXPRESS_DATA (*(volatile uint32_t *)(0xf0400000u + (2u << 12)))

struct shared {
    ts_barrier_t all;
    int failed;
};
static struct shared *shared;
static volatile int *blocks, *own; /* at site 0; at the requester's site */
static volatile int plain[BLOCKS * STEP] __attribute__((aligned(TS_BLOCK)));

static volatile char after[8192] __attribute__((aligned(8192)));

static void meet(void) { ts_barrier(&shared->all, 0); }

static void write_all(int me, int value)
{
    int i;
    if (ts_self() == me)
        for (i = 0; i < BLOCKS; i++)
            blocks[i * STEP] = value + i;
    meet();
}

static void read_all(int me, int value)
{
    int i;
    if (ts_self() == me)
        for (i = 0; i < BLOCKS; i++)
            if (blocks[i * STEP] != value + i)
                shared->failed = 1;
    if (me == REQUESTER && ts_self() == me)
        ts_mark(0); /* what the barrier asks of the sPs is no part of the reads */
    meet();
}

static void touch(volatile int *p, uint32_t mark)
{
    int i;
    if (ts_self() == REQUESTER) {
        ts_mark(mark);
        for (i = 0; i < BLOCKS; i++)
            (void)p[i * STEP];
        ts_mark(0);
    }
    meet();
}

/* Sends when the receiver surely polls; the simulator sees the store go out and the receiver's mark. */
static void express(void)
{
    int i, j;
    if (ts_self() == REQUESTER) {
        ts_mark(7);
        for (i = 0; i < ROUNDS; i++) {
            for (j = 0; j < 300 + 7 * i; j++)
                __asm__ volatile("nop");
            EXPRESS_TX(31, 0 << 3 | 2) = i;
        }
        ts_mark(0);
    } else if (ts_self() == 0) {
        for (i = 0; i < ROUNDS; i++) {
            while ((EXPRESS_META & 0xff) != 1)
                ;
            if (EXPRESS_DATA != (uint32_t)i)
                shared->failed = 1;
        }
    }
    meet();
}

static void work(void)
{
    int i, pass;
    for (pass = 0; pass < 2; pass++) { /* the first pass warms code and pages */
        write_all(0, 1000);
        if (ts_self() == REQUESTER)
            ts_mark(pass ? 1 : 0);
        read_all(REQUESTER, 1000);
        read_all(OTHER, 1000);
        if (ts_self() == REQUESTER)
            ts_mark(pass ? 2 : 0);
        write_all(REQUESTER, 2000);
        write_all(OTHER, 3000);
        if (ts_self() == REQUESTER)
            ts_mark(pass ? 3 : 0);
        write_all(REQUESTER, 4000);
        if (ts_self() == REQUESTER) {
            ts_mark(0);
            for (i = 0; i < BLOCKS; i++)
                own[i * STEP] = plain[i * STEP] = i;
            for (i = 0; i < (int)sizeof after; i += 64) /* what was written leaves the cache */
                (void)after[i];
        }
        meet();
        touch(own, pass ? 4 : 0);
        if (ts_self() == OTHER)
            for (i = 0; i < BLOCKS; i++)
                (void)own[i * STEP];
        meet();
        touch((volatile int *)after, 0); /* out of the cache again */
        touch(own, pass ? 5 : 0);
        touch(plain, pass ? 6 : 0);
    }
    express();
}

int main(int argc, char **argv)
{
    if (ts_processes() != 4) {
        printf("latency: runs on SITES=4 APS=1\n");
        return 2;
    }
    shared = ts_alloc(sizeof *shared);
    blocks = argc > 1 ? ts_alloc_mode(BLOCKS * TS_BLOCK, 0, 0, argv[1]) : ts_alloc_pages(BLOCKS * TS_BLOCK, 0, 0);
    own = ts_alloc_pages(BLOCKS * TS_BLOCK, REQUESTER, 0);
    shared->failed = 0;
    ts_barrier_init(&shared->all, 4);
    ts_create_all(work, 4);
    ts_wait_for_end(4);
    printf("latency: %s\n", shared->failed ? "wrong data" : "correct");
    return shared->failed;
}
