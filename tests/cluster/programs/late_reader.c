/*
 * All processes but 1 send process 1 a row of Express messages; it begins to read long after its queue is full. It gets all of them, each
 * sender's in their order. Prints how many cycles it read for.
 */
#include <niu_regs.h>
#include <stdint.h>
#include <stdio.h>
#include <turnstile.h>

enum { READER = 1, COUNT = 60, TAG = 24, LATE = 20000, MOST = 64 };
#define WORD(address) (*(volatile uint32_t *)(address))
#define PAGE (AP_EXPRESS_RX_BASE + queue * AP_PAGE_BYTES)

struct shared {
    ts_barrier_t all;
    volatile int failed;
};
static struct shared *shared;

static void work(void)
{
    const uint32_t queue = 2 + WORD(AP_BASE + AP_AP_ID), aps = WORD(AP_BASE + AP_APS), name = READER / aps << 3 | (2 + READER % aps);
    uint32_t next[MOST] = {0};
    unsigned long begin;
    int i;

    if (ts_self() == READER) {
        for (begin = ts_clock(); ts_clock() - begin < LATE;) ts_relax();
        begin = ts_clock();
        for (i = 0; i < COUNT * (ts_processes() - 1);) {
            uint32_t meta = WORD(PAGE + AP_EXPRESS_RX_META);
            if ((meta & 255) != 1) continue;
            uint32_t word = WORD(PAGE + AP_EXPRESS_RX_DATA), source = meta >> 8 & 511, from = (source >> 3) * aps + (source & 7) - 2;
            if (from >= MOST || (meta >> 17 & 31) != TAG || word >> 16 != from || (word & 0xffff) != next[from]++) {
                printf("late_reader: META %lx with %lx\n", (unsigned long)meta, (unsigned long)word);
                shared->failed = 1;
            }
            i++;
        }
        printf("late_reader: %d messages in %lu cycles\n", i, ts_clock() - begin);
    } else {
        for (i = 0; i < COUNT; i++)
            WORD(AP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(queue) + EXPRESS_TX_TAG(TAG) + EXPRESS_TX_DEST(name)) = (uint32_t)ts_self() << 16 | (uint32_t)i;
    }
    ts_barrier(&shared->all, 0);
}

int main(void)
{
    shared = ts_alloc(sizeof *shared);
    shared->failed = 0;
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("late_reader: %s\n", shared->failed ? "wrong" : "correct");
    return shared->failed;
}
