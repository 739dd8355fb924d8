/*
 * A victim and its neighbour, for SITES=2 APS=2. Process 2 reads over and over what process 0, at the other site, has written: each read is
 * a remote miss under mark 1, and each value is checked. Process 1 does nothing and reads no message. Process 3, on the victim's own
 * site, calls attack(0), attack(1), ... as fast as it can, until the victim has done its work; with the argument "alone" it does nothing.
 * What the hardware refuses it traps its loads; it goes on behind them.
 */
#ifndef VICTIM_H
#define VICTIM_H
#include <niu_regs.h>
#include <stdint.h>
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_service.h>

enum { WRITER = 0, IDLER = 1, READER = 2, ATTACKER = 3, BLOCKS = 64, ROUNDS = 4, STEP = TS_BLOCK / 4, WARM = 1 };

#define WORD(address) (*(volatile uint32_t *)(address))
#define AP_QUEUE(ap) (2 + (ap))
#define AP_NAME(process) (((process) / 2) << 3 | AP_QUEUE((process) % 2))
#define SERVICE_NAME(site) ((site) << 3 | 1)
#define EXPRESS_STORE(queue, tag, name) WORD(AP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(queue) + EXPRESS_TX_TAG(tag) + EXPRESS_TX_DEST(name))
#define EXPRESS_META_OF(queue) WORD(AP_EXPRESS_RX_BASE + (queue)*AP_PAGE_BYTES + AP_EXPRESS_RX_META)
#define BASIC_POINTER(queue, offset) WORD(AP_BASIC_BASE + (queue)*AP_PAGE_BYTES + (offset))
enum { MY_QUEUE = AP_QUEUE(1), MY_BASIC = 8 + MY_QUEUE };

struct shared {
    ts_barrier_t both;
    volatile int wrong;
};
static struct shared *shared;
static volatile uint32_t *blocks;
static int alone;

static void attack(uint32_t i);

static uint32_t random_state = 1;
static inline uint32_t random_word(void)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 17, random_state ^= random_state << 5;
    return random_state;
}

/* A message that waits for the attacker, if there is one, is taken. */
static inline void read_own(void) { (void)EXPRESS_META_OF(MY_QUEUE); }

__attribute__((naked, aligned(4))) static void next_instruction(void)
{
    __asm__ volatile("csrw mscratch, t0; csrr t0, mepc; addi t0, t0, 4; csrw mepc, t0; csrr t0, mscratch; mret");
}

static void work(void)
{
    int round, i;
    if (ts_self() == IDLER) for (;;) ts_relax();
    if (ts_self() == ATTACKER) {
        __asm__ volatile("csrw mtvec, %0" : : "r"(next_instruction));
        for (i = 0;; i++) {
            if (alone) ts_relax();
            else attack(i);
        }
    }
    for (round = 1; round <= ROUNDS; round++) {
        if (ts_self() == WRITER)
            for (i = 0; i < BLOCKS; i++) blocks[i * STEP] = 1000 * round + i;
        ts_barrier(&shared->both, 2);
        if (ts_self() == READER) {
            ts_mark(round > WARM);
            for (i = 0; i < BLOCKS; i++)
                if (blocks[i * STEP] != (uint32_t)(1000 * round + i)) shared->wrong = 1;
            ts_mark(0);
        }
        ts_barrier(&shared->both, 2);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    alone = argc > 1;
    if (ts_processes() != 4) {
        printf("victim: runs on SITES=2 APS=2\n");
        return 2;
    }
    shared = ts_alloc(sizeof *shared);
    blocks = ts_alloc_pages(BLOCKS * TS_BLOCK, WRITER, 0);
    shared->wrong = 0;
    ts_barrier_init(&shared->both, 2);
    ts_create_all(work, 4);
    printf("victim: %s\n", shared->wrong ? "wrong" : "correct");
    return shared->wrong;
}
#endif
