/*
 * A queue that moves (VY-35, VY-T15): processes 0, 2 and 4, of three sites, have it in turn, and others send to its name, Express messages of both priorities and Basic ones,
 * and never stop. Each owner takes what came with the queue and some more, by a FIFO of the hardware or without, then gives the queue to the next with what is unread. A
 * move that nobody expects is refused. All that was sent comes once, each sender's of a kind in order, whoever takes it.
 *
 * ARGS: messages of each sender, moves, seed, senders
 */
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>
#include <turnstile_queue.h>

enum { OWNERS = 3, MOST = 16, SLOTS = 256, TAG = 9, MOVES = 32, PATIENCE = 20000 };
enum { LOW, BASIC, HIGH, KINDS };
#define BLOCK __attribute__((aligned(128)))

struct shared {
    /* Written before the others begin. */
    int count, moves, seed, senders;
    volatile unsigned name, places[OWNERS];
    ts_barrier_t all BLOCK;
    volatile int expecting BLOCK; /* two owners speak to each other by it */
    /* The owner of the time alone writes these; nobody else looks. */
    volatile int failed BLOCK;
    volatile unsigned expected[MOST][KINDS], got, taken[OWNERS];
    ts_queue_load_t loads[MOVES] BLOCK;
};
static struct shared *shared;
static uint32_t state;

static uint32_t next(void) { return (state = state * 1664525u + 1013904223u) >> 16; }
static int is_owner(int process) { return process % 2 == 0 && process / 2 < OWNERS; }
/* Of the processes that are no owners, 0 on. */
static int nth_sender(int process) { return process < 2 * OWNERS ? process / 2 : process - OWNERS; }
static int is_sender(int process) { return !is_owner(process) && nth_sender(process) < shared->senders; }

static void check(const ts_queue_message_t *m, int owner)
{
    const unsigned kind = m->tag - TAG, legal = m->from >= 0 && m->from < MOST && kind < KINDS;
    const unsigned number = legal ? shared->expected[m->from][kind]++ : 0;

    if (!legal || m->payload[0] != ((uint32_t)m->from << 24 | number) || m->basic != (kind == BASIC) || (m->basic && m->payload[5] != number * 7))
        if (shared->failed++ < 8)
            printf("moved: owner %d: from %d tag %u basic %u: %lx, expected number %u\n", owner, m->from, m->tag, m->basic, (unsigned long)m->payload[0], number);
    shared->got++;
    shared->taken[owner]++;
}

/* What came with the queue, and a few more if they come in time. */
static void take_some(ts_queue_t *queue, int me)
{
    const unsigned long begin = ts_clock();
    ts_queue_message_t m;

    for (int n = 1 + (int)(next() % 40); ts_queue_brought(queue) || (n > 0 && ts_clock() - begin < PATIENCE); n--)
        if (ts_queue_poll(queue, &m)) check(&m, me);
        else n++;
}

static void own(int me)
{
    static ts_queue_t queue;
    ts_queue_message_t m;

    if (!ts_queue_open(&queue, SLOTS)) shared->failed = 1;
    shared->places[me] = queue.place;
    if (me == 0) {
        for (int p = 0; p < ts_processes(); p++)
            if (is_sender(p)) ts_queue_grant(&queue, p, 1);
        shared->name = queue.name;
    }
    ts_barrier(&shared->all, 0);
    for (int k = 0; k < shared->moves; k++) {
        if (me == k % OWNERS) {
            if (next() % 2) ts_queue_resume(&queue);
            take_some(&queue, me);
            if (k == 0 && ts_queue_move(&queue, shared->places[1], &shared->loads[k])) printf("moved: nobody expected it\n"), shared->failed++;
            shared->expecting = -k - 1;
            while (shared->expecting != k + 1) ts_relax();
            if (!ts_queue_move(&queue, shared->places[(k + 1) % OWNERS], &shared->loads[k])) printf("moved: not adopted\n"), shared->failed++;
        } else if (me == (k + 1) % OWNERS) {
            while (shared->expecting != -k - 1) ts_relax();
            ts_queue_expect(&queue, shared->name);
            shared->expecting = k + 1;
            ts_queue_adopt(&queue, shared->name, &shared->loads[k]);
        }
    }
    if (me == shared->moves % OWNERS) {
        const unsigned all = (unsigned)(shared->senders * shared->count);

        for (unsigned got = shared->got; got < all;)
            if (ts_queue_poll(&queue, &m)) check(&m, me), got++;
        if (ts_queue_lost(&queue)) shared->failed++;
        printf("moved: %u messages, taken by owners %u %u %u\n", shared->got, shared->taken[0], shared->taken[1], shared->taken[2]);
    }
}

static void send_all(void)
{
    ts_basic_t basic;
    unsigned number[KINDS] = {0};

    ts_basic_open(&basic);
    ts_barrier(&shared->all, 0);
    const int count = shared->count;
    const unsigned name = shared->name;
    for (int i = 0; i < count; i++) {
        const unsigned kind = next() % 4 < 2 ? LOW : next() % 2 ? BASIC : HIGH;
        unsigned n = number[kind]++;
        uint32_t word = (uint32_t)ts_self() << 24 | n;
        if (kind == BASIC) {
            uint32_t *payload = ts_queue_make(&basic, name, TAG + BASIC, 24);
            for (int j = 0; j < 6; j++) payload[j] = j == 0 ? word : j == 5 ? n * 7 : 0;
            ts_basic_launch(&basic);
        } else {
            ts_express_store(ts_queue_port(name, TAG + kind, kind == HIGH), word);
        }
    }
    ts_basic_drain(&basic);
}

static void work(void)
{
    state = (uint32_t)(shared->seed * 977 + ts_self());
    if (is_owner(ts_self())) own(ts_self() / 2);
    else if (is_sender(ts_self())) send_all();
    else ts_barrier(&shared->all, 0);
    ts_barrier(&shared->all, 0);
}

int main(int argc, char **argv)
{
    shared = ts_alloc(sizeof *shared + 128);
    shared = (struct shared *)(((uintptr_t)shared + 127) & ~(uintptr_t)127);
    shared->count = argc > 1 ? atoi(argv[1]) : 100;
    shared->moves = argc > 2 ? atoi(argv[2]) : 6;
    shared->seed = argc > 3 ? atoi(argv[3]) : 1;
    shared->senders = ts_processes() - OWNERS;
    if (argc > 4 && atoi(argv[4]) < shared->senders) shared->senders = atoi(argv[4]);
    shared->failed = shared->expecting = 0;
    shared->got = 0;
    for (int i = 0; i < MOST; i++) 
        for (int kind = 0; kind < KINDS; kind++) shared->expected[i][kind] = 0;
    for (int i = 0; i < OWNERS; i++) shared->taken[i] = 0;
    for (int i = 0; i < MOVES; i++) shared->loads[i].ready = shared->loads[i].count = 0;
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("moved: %s\n", shared->failed ? "wrong" : "correct");
    return shared->failed != 0;
}
