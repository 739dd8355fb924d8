/*
 * Random traffic of all mechanisms at once (issue 6; VY-16 to VY-39), beside shared memory: each process sends EACH messages of each kind to each other one, in any order, and takes what comes:
 * Express of both priorities, Basic of all sizes, with Tag-On lines, by a neighbour's queue (VY-27), to named queues that get a FIFO and lose it again, to a queue that
 * moves between sites 0 and 1, and transfers where sites have DMA. All that was sent comes once, whole, each sender's of a kind in order. With `hostile` the last process does what
 * it can to the others, who send it nothing and pass over what it sends.
 *
 * ARGS: seed, moves, hostile
 */
#include <niu_regs.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turnstile.h>
#include <turnstile_dma.h>
#include <turnstile_queue.h>
#include <turnstile_service.h>

enum { MOST = 16, EACH = 2, SLOTS = 64, LINES = 64, MOVES = 4, LOCKED = 8, SLOT = 256, WORDS = TS_BASIC_BYTES / 4, LINE_WORDS = TS_LINE_BYTES / 4, FIRST_TAG = 1 };
enum kind { LOW, HIGH, BY_NEIGHBOUR, BASIC, TAGON, NAMED, NAMED_BASIC, MOVING, TRANSFER, KINDS };
static const char *const names[KINDS] = {"express", "high", "by neighbour", "basic", "tag-on", "named", "named basic", "moving", "transfer"};
#define BLOCK __attribute__((aligned(128)))

static struct shared {
    int seed, moves, hostile;
    volatile unsigned name[MOST], moving, place[2];
    void *volatile area[MOST];
    ts_barrier_t all BLOCK;
    ts_lock_t lock BLOCK;
    volatile uint32_t sum BLOCK;
    volatile uint32_t done BLOCK;
    volatile int expecting BLOCK;
    /* Of the queue that moves: its owner of the time alone. */
    volatile uint32_t moved BLOCK, moved_next[MOST];
    ts_queue_load_t loads[MOVES] BLOCK;
} *shared;
static int me, others, aps, has_dma;
static uint32_t state;
static ts_basic_t basic;
static ts_dma_t dma;
static ts_queue_t named, moving;
static uint32_t next_of[MOST][KINDS], got, by_kind[KINDS];
static unsigned char area[MOST][SLOT] __attribute__((aligned(TS_DMA_PAGE))), source[MOST][SLOT];

static uint32_t any(void) { return (state = state * 1664525u + 1013904223u) >> 12; }
static uint32_t mixed(uint32_t word, uint32_t at) { return (word + at * 0x9E3779B9u) * 0x85EBCA6Bu >> 3; }
static int is_owner(int process) { return process == 0 || process == aps; }
/* A process that sends by process 0's queue. */
static int is_neighbour(int process) { return process > 0 && process < aps; }
static int sends(int process, int to, int kind)
{
    if (kind == MOVING) return to == 0; /* one receiver for all */
    return process != to && (kind != BY_NEIGHBOUR || (is_neighbour(process) && to != 0)) && (kind != TRANSFER || has_dma);
}
static unsigned most_of(int kind) { return kind == TRANSFER ? 1 : EACH; }

static void fail(uint32_t word, const char *what)
{
    ts_fail("traffic: %s: message %lx, %s, number %lu of process %lu", what, (unsigned long)word, names[(word >> 16 & 255) % KINDS], (unsigned long)(word & 0xFFFF),
            (unsigned long)(word >> 24));
}

/* Any message: who, what and the how manieth are in its word. */
static void take(uint32_t word, int from, unsigned tag, const uint32_t *payload, unsigned bytes, const uint32_t *lines)
{
    const unsigned sender = word >> 24, kind = word >> 16 & 255;

    if (from == shared->hostile) return;
    if (sender >= (unsigned)others || kind >= KINDS || tag != FIRST_TAG + kind) fail(word, "nobody sent it");
    if (from != (kind == BY_NEIGHBOUR ? 0 : (int)sender)) fail(word, "another process sent it");
    const uint32_t number = kind == MOVING ? shared->moved_next[sender]++ : next_of[sender][kind]++;
    if ((word & 0xFFFF) != number) fail(word, number ? "not the next" : "not the first");
    for (unsigned i = 1; i < bytes / 4; i++)
        if (payload[i] != mixed(word, i)) fail(word, "not its payload");
    if ((lines != NULL) != (kind == TAGON)) fail(word, "lines");
    for (unsigned i = 0; lines && i < LINE_WORDS; i++)
        if (lines[i] != mixed(sender, (word & 0xFFFF) % LINES * LINE_WORDS + i)) fail(word, "not its lines");
    if (kind == TRANSFER)
        for (unsigned i = 0; i < SLOT; i++)
            if (area[sender][i] != (unsigned char)mixed(word, i)) fail(word, "not its bytes");
    if (kind == MOVING) shared->moved++;
    else got++;
    by_kind[kind]++;
}

static void of_queue(ts_queue_t *queue)
{
    ts_queue_message_t m;

    while (ts_queue_poll(queue, &m)) take(m.payload[0], m.from, m.tag, m.payload, m.basic ? m.bytes : 4, NULL);
}

static void receive(void)
{
    ts_express_t e;
    ts_basic_message_t m;

    while (ts_express_poll(&e)) take(e.word, e.from, e.tag, NULL, 0, NULL);
    while (ts_basic_poll(&basic, &m))
        if (m.from != shared->hostile) take(*(const uint32_t *)m.payload, m.from, m.tag, m.payload, m.bytes, m.lines ? m.line : NULL);
    ts_basic_release(&basic);
    of_queue(&named);
}

static void fill(uint32_t *payload, uint32_t word, unsigned bytes)
{
    payload[0] = word;
    for (unsigned i = 1; i < bytes / 4; i++) payload[i] = mixed(word, i);
}

static void send(int to, enum kind kind, uint32_t number)
{
    const uint32_t word = (uint32_t)me << 24 | kind << 16 | number;
    const unsigned tag = FIRST_TAG + kind, bytes = 4 + any() % WORDS * 4;

    switch (kind) {
    case LOW: ts_express_store(ts_express_port(to, tag, 0), word); break;
    case HIGH: ts_express_store(ts_express_port(to, tag, 1), word); break;
    case BY_NEIGHBOUR: ts_express_store(ts_express_port_by(0, ts_express_port(to, tag, 0)), word); break;
    case BASIC: fill(ts_basic_make(&basic, to, tag, bytes), word, bytes); break;
    case TAGON: fill(ts_tagon_make(&basic, to, tag, bytes, number % LINES, 1), word, bytes); break;
    case NAMED: ts_express_store(ts_queue_port(shared->name[to], tag, 0), word); break;
    case NAMED_BASIC: fill(ts_queue_make(&basic, shared->name[to], tag, bytes), word, bytes); break;
    case MOVING: ts_express_store(ts_queue_port(shared->moving, tag, 0), word); break;
    default:
        for (unsigned i = 0; i < SLOT; i++) source[to][i] = (unsigned char)mixed(word, i);
        ts_dma_put_message(&dma, to, ((unsigned char(*)[SLOT])shared->area[to])[me], source[to], SLOT, tag, word);
    }
    if (any() % 2) ts_basic_launch(&basic);
}

/* One more of any kind to anybody; 0: all have left. */
static int send_one(void)
{
    static uint32_t sent[MOST][KINDS];
    const uint32_t first = any() % (MOST * KINDS);

    for (uint32_t i = 0; i < MOST * KINDS; i++) {
        const int to = (int)((first + i) % (MOST * KINDS) / KINDS), kind = (int)((first + i) % KINDS);
        if (to < others && sends(me, to, kind) && sent[to][kind] < most_of(kind)) {
            send(to, (enum kind)kind, sent[to][kind]++);
            return 1;
        }
    }
    return 0;
}

/* The queue that moves: the owner of the time takes, and gives it away when the other one expects it. */
static void own(void)
{
    static int k;
    const int mine = me != 0;

    if (k % 2 == mine) {
        of_queue(&moving);
        if (k < shared->moves && shared->expecting > k && !ts_queue_brought(&moving)) {
            if (!ts_queue_move(&moving, shared->place[!mine], &shared->loads[k])) ts_fail("traffic: move %d was not adopted", k);
            k++;
        }
    } else if (k < shared->moves && shared->expecting < k + 1) {
        ts_queue_expect(&moving, shared->moving);
        shared->expecting = k + 1;
    } else if (k < shared->moves && shared->loads[k].ready) {
        ts_queue_adopt(&moving, shared->moving, &shared->loads[k]);
        k++;
    }
}

static void prepare(void)
{
    ts_basic_open(&basic);
    uint32_t *lines = ts_tagon_area(&basic);
    for (unsigned i = 0; i < LINES * LINE_WORDS; i++) lines[i] = mixed((uint32_t)me, i);
    if (!ts_queue_open(&named, SLOTS)) ts_fail("traffic: no queue");
    for (int i = 0; i < others; i++)
        if (i != me) ts_queue_grant(&named, i, 1);
    shared->name[me] = named.name;
    if (has_dma && ts_dma_open(&dma, &basic)) ts_dma_accept(area, sizeof area);
    shared->area[me] = area;
    if (is_owner(me)) {
        if (!ts_queue_open(&moving, 4 * SLOTS)) ts_fail("traffic: no queue to move");
        shared->place[me != 0] = moving.place;
        if (me == 0) {
            for (int i = 0; i < others; i++) ts_queue_grant(&moving, i, 1);
            shared->moving = moving.name;
        }
    }
    for (int i = 1; me == 0 && i < aps; i++) ts_express_share(i, 1);
}

static uint32_t expected(void)
{
    uint32_t all = 0;

    for (int from = 0; from < others; from++)
        for (int kind = 0; kind < KINDS; kind++)
            if (kind != MOVING && sends(from, me, kind)) all += most_of(kind);
    return all;
}

static void ordinary(void)
{
    const uint32_t all = expected();
    int left = LOCKED, told = 0;

    prepare();
    ts_barrier(&shared->all, others);
    while (!(told && shared->done == (uint32_t)others)) {
        const uint32_t what = any() % 16;
        receive();
        if (is_owner(me)) own();
        if (what < 8 && send_one()) continue;
        ts_basic_launch(&basic);
        if (what == 9 && left > 0) {
            ts_lock(&shared->lock);
            shared->sum += (uint32_t)me + 1;
            ts_unlock(&shared->lock);
            left--;
        }
        if (what == 10 && !named.fifo) ts_queue_resume(&named);
        if (what == 11) ts_queue_park(&named);
        if (!told && got == all && !left && !send_one() && (!is_owner(me) || shared->moved == (uint32_t)others * EACH)) {
            ts_basic_drain(&basic);
            ts_lock(&shared->lock);
            shared->done++;
            ts_unlock(&shared->lock);
            told = 1;
        }
    }
    if (got != all) ts_fail("traffic: %lu messages more than were sent", (unsigned long)(got - all));
    if (ts_queue_lost(&named)) ts_fail("traffic: %u messages lost", ts_queue_lost(&named));
    const char *refused = ts_basic_refused(&basic);
    if (refused) ts_fail("traffic: %s", refused);
}

/* What a program may store and load at all, at random: pointers, queues and pages of others, requests of all kinds, of locks and barriers that nobody has. */
#define WORD(address) (*(volatile uint32_t *)(address))
#define PORT(queue, tag, name) WORD(AP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(queue) + EXPRESS_TX_TAG(tag) + EXPRESS_TX_DEST(name))

__attribute__((naked, aligned(4))) static void next_instruction(void)
{
    __asm__ volatile("csrw mscratch, t0; csrr t0, mepc; addi t0, t0, 4; csrw mepc, t0; csrr t0, mscratch; mret");
}

static void harm(void)
{
    const uint32_t own = 2 + (uint32_t)(me % aps);

    __asm__ volatile("csrw mtvec, %0" : : "r"(next_instruction));
    for (;;) {
        const uint32_t a = any(), b = any() << 12 ^ any(), c = any();
        switch (a % 6) {
        case 0: PORT(own, TS_SVC_QUEUE + c % 6, 1 | (c >> 8) % (uint32_t)(others / aps + 1) << 3) = b; break;
        case 1: PORT(c & 15, c >> 4 & 31, c >> 9 & 511) = b; break;
        case 2: WORD(AP_BASIC_BASE + (8 + (c & 7)) * AP_PAGE_BYTES + (c & 8 ? AP_BASIC_TX_PRODUCER : AP_BASIC_RX_CONSUMER)) = b; break;
        case 3: WORD(0x80000000u + b % 0x00800000u / 4 * 4) = b; break;
        case 4: (void)WORD(0xF0200000u + b % 0x00400000u / 4 * 4); break;
        case 5: WORD(0xF0200000u + b % 0x00400000u / 4 * 4) = b; break;
        }
        (void)WORD(AP_EXPRESS_RX_BASE + own * AP_PAGE_BYTES + AP_EXPRESS_RX_META);
    }
}

static void work(void)
{
    me = ts_self();
    state = (uint32_t)(shared->seed * 977 + me * 31 + 1);
    if (me == shared->hostile) harm();
    ordinary();
    printf("traffic: process %d:", me);
    for (int kind = 0; kind < KINDS; kind++) printf(" %s %lu", names[kind], (unsigned long)by_kind[kind]);
    printf("\n");
    ts_barrier(&shared->all, others);
}

int main(int argc, char **argv)
{
    const int hostile = argc > 3 && strcmp(argv[3], "hostile") == 0;
    ts_basic_t queue;
    uint32_t sum = 0;
    int moves = 0;

    aps = (int)WORD(AP_BASE + AP_APS);
    others = ts_processes() - hostile;
    ts_basic_open(&queue);
    has_dma = ts_dma_open(&dma, &queue);
    shared = ts_alloc(sizeof *shared + 128);
    shared = (struct shared *)(((uintptr_t)shared + 127) & ~(uintptr_t)127);
    memset(shared, 0, offsetof(struct shared, loads));
    for (int i = 0; i < MOVES; i++) shared->loads[i].ready = shared->loads[i].count = 0;
    shared->seed = argc > 1 ? atoi(argv[1]) : 1;
    shared->moves = argc > 2 ? atoi(argv[2]) : 2;
    shared->hostile = hostile ? others : -1;
    if (others < 2 || others > MOST || others <= aps || shared->moves > MOVES) ts_fail("traffic: %d processes, legal 2 to %d on two sites or more; moves up to %d", others, MOST, MOVES);
    ts_lock_init(&shared->lock, 1);
    ts_barrier_init(&shared->all, others);
    ts_create_all(work, ts_processes());
    for (int i = 0; i < others; i++) sum += LOCKED * (uint32_t)(i + 1);
    if (shared->sum != sum || shared->moved != (uint32_t)others * EACH) ts_fail("traffic: sum %lu, wanted %lu; %lu by the queue that moves", (unsigned long)shared->sum, (unsigned long)sum, (unsigned long)shared->moved);
    while (moves < shared->moves && shared->loads[moves].ready) moves++;
    printf("traffic: seed %d, %d processes, %d moves: correct\n", shared->seed, others, moves);
    return 0;
}
