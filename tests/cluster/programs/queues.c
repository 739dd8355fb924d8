/*
 * Every process sends every other a row of Express messages, some high, through its own transmit queue; each checks that its own
 * receive queue got all of them, from whom they say, each sender's messages of one priority in their order, and nothing else.
 */
#include <stdio.h>
#include <turnstile.h>

enum { ROUNDS = 6, FIRST_AP = 2, TAG = 24, MOST = 64 };
#define REG(a) (*(volatile uint32_t *)(a))
#define SITE REG(0xf0000000u)
#define AP REG(0xf0000008u)
#define APS REG(0xf000000cu)

struct shared {
    ts_barrier_t all;
    volatile int failed;
};
static struct shared *shared;

static void wrong(uint32_t meta, uint32_t data)
{
    printf("queues: process %d: META %lx with %lx\n", ts_self(), (unsigned long)meta, (unsigned long)data);
    shared->failed = 1;
}

static void work(void)
{
    const uint32_t queue = FIRST_AP + AP, aps = APS, rx = 0xf0400000u + (queue << 12), others = ts_processes() - 1;
    uint32_t got = 0, sent = 0, expected[MOST][2];
    int i;
    for (i = 0; i < ts_processes(); i++) expected[i][0] = 0, expected[i][1] = 1;
    ts_barrier(&shared->all, 0);
    while (got < others * ROUNDS || sent < ROUNDS * (uint32_t)ts_processes()) {
        if (sent < ROUNDS * (uint32_t)ts_processes()) {
            uint32_t to = sent % ts_processes(), round = sent / ts_processes(), prio = round & 1;
            if ((int)to != ts_self())
                REG(0xf0200000u | queue << 17 | (TAG + prio) << 12 | ((to / aps) << 3 | (FIRST_AP + to % aps)) << 3 | prio << 2) =
                    (uint32_t)ts_self() << 24 | to << 16 | round;
            sent++;
        }
        uint32_t meta = REG(rx + 4);
        if ((meta & 255) != 1) continue;
        uint32_t data = REG(rx), source = meta >> 8 & 511, prio = meta >> 22 & 1, from = (source >> 3) * aps + (source & 7) - FIRST_AP;
        got++;
        if (from >= (uint32_t)ts_processes() || data >> 24 != from || (data >> 16 & 255) != (uint32_t)ts_self() ||
            (meta >> 17 & 31) != TAG + prio || (data & 0xffff) != expected[from][prio])
            wrong(meta, data);
        else
            expected[from][prio] += 2;
    }
    for (i = 0; i < 2000; i++)
        if ((REG(rx + 4) & 255) == 1) wrong(0, REG(rx));
    ts_barrier(&shared->all, 0);
}

int main(void)
{
    shared = ts_alloc(sizeof *shared);
    shared->failed = 0;
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("queues: %s\n", shared->failed ? "wrong" : "correct");
    return shared->failed;
}
