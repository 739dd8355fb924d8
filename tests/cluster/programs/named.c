/*
 * Queues with names (VY-33, VY-34, VY-37 to VY-39, T16, T17): processes 0 and 1, of one site, have eight each, more than the hardware holds. Of the others
 * the last two compute in shared memory and the rest send Express and Basic messages to all queues, in an order of their own, without ever
 * stopping. The readers give queues a FIFO of the hardware and take it away again at random; with `late` they begin to read when all rings were full.
 * Each checks that it got all, from those it let in alone, each sender's in order and whole. With `strangers` those who compute send, too, to names that
 * nobody granted them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>
#include <turnstile_queue.h>

enum { READERS = 2, COMPUTE = 2, MOST = 16, SLOTS = 32, WORDS = 64, TAG = 9 };

struct shared {
    ts_barrier_t all;
    volatile int failed, done[READERS];
    int count, late, seed, strangers;
    volatile unsigned names[READERS][TS_QUEUES];
    volatile uint32_t words[COMPUTE][WORDS];
};
static struct shared *shared;
static uint32_t state;

static uint32_t next(void) { return (state = state * 1664525u + 1013904223u) >> 16; }
static int senders(void) { return ts_processes() - READERS - COMPUTE; }
static unsigned bytes_of(int from, unsigned number) { return 4 + (unsigned)(from * 31 + (int)number * 17) % (TS_BASIC_BYTES - 3); }
static uint32_t word_of(int from, unsigned number, unsigned i) { return (uint32_t)from << 24 | (uint32_t)i << 16 | number; }

static void wrong(int queue, const ts_queue_message_t *m, const char *what)
{
    if (shared->failed++ < 8)
        printf("named: process %d queue %d: %s: from %d tag %u basic %u, %u bytes, %lx\n", ts_self(), queue, what, m->from, m->tag, m->basic, m->bytes,
               (unsigned long)m->payload[0]);
}

static void check(int queue, const ts_queue_message_t *m, unsigned expected[MOST][2])
{
    if (m->from < READERS || m->from >= READERS + senders() || m->basic > 1) {
        wrong(queue, m, "a stranger's");
        return;
    }
    unsigned number = expected[m->from][m->basic]++, words = m->basic ? bytes_of(m->from, number) / 4 : 1;
    if (m->tag != TAG + m->basic || m->bytes != (m->basic ? bytes_of(m->from, number) : 4)) wrong(queue, m, "not the next");
    for (unsigned i = 0; i < words; i++)
        if (m->payload[i] != word_of(m->from, number, i)) wrong(queue, m, "not whole, or not the next");
}

static void read_all(void)
{
    static ts_queue_t queues[TS_QUEUES];
    static unsigned expected[TS_QUEUES][MOST][2];
    const int all = senders() * shared->count / READERS;
    int resumed[TS_QUEUES] = {0}, got = 0, switches = 0;
    ts_queue_message_t m;

    for (int q = 0; q < TS_QUEUES; q++) {
        if (!ts_queue_open(&queues[q], SLOTS)) shared->failed = 1;
        for (int p = READERS; p < READERS + senders(); p++) ts_queue_grant(&queues[q], p, 1);
        shared->names[ts_self()][q] = queues[q].name;
    }
    ts_barrier(&shared->all, 0);
    for (const unsigned long begin = ts_clock(); ts_clock() - begin < (unsigned long)shared->late;) ts_relax();
    while (got < all && shared->failed < 8) {
        int q = (int)(next() % TS_QUEUES);
        if (next() % 3 == 0) {
            if (resumed[q]) ts_queue_park(&queues[q]), resumed[q] = 0;
            else resumed[q] = ts_queue_resume(&queues[q]);
            switches++;
        }
        for (int n = 0; n < 16 && ts_queue_poll(&queues[q], &m); n++, got++) check(q, &m, expected[q]);
    }
    for (int q = 0; q < TS_QUEUES; q++) {
        if (ts_queue_poll(&queues[q], &m)) wrong(q, &m, "one too many");
        if (ts_queue_lost(&queues[q])) printf("named: queue %d lost %u\n", q, ts_queue_lost(&queues[q])), shared->failed++;
        ts_queue_park(&queues[q]);
        ts_queue_close(&queues[q]);
    }
    printf("named: process %d: %d messages, %d switches\n", ts_self(), got, switches);
    shared->done[ts_self()] = 1; /* each its own: they end at one time */
}

static void send_all(void)
{
    static unsigned number[READERS * TS_QUEUES][2];
    ts_basic_t basic;

    ts_basic_open(&basic);
    ts_barrier(&shared->all, 0);
    for (int i = 0; i < shared->count; i++) {
        int reader = i % READERS, q = (int)(next() % TS_QUEUES), to = reader * TS_QUEUES + q, kind = next() % 4 == 0;
        unsigned n = number[to][kind]++;
        if (kind) {
            unsigned bytes = bytes_of(ts_self(), n);
            uint32_t *payload = ts_queue_make(&basic, shared->names[reader][q], TAG + 1, bytes);
            for (unsigned k = 0; k < (bytes + 3) / 4; k++) payload[k] = word_of(ts_self(), n, k);
            ts_basic_launch(&basic);
        } else {
            ts_express_store(ts_queue_port(shared->names[reader][q], TAG, 0), word_of(ts_self(), n, 0));
        }
    }
    ts_basic_drain(&basic);
}

/* Each adds to words of its own, which lie in lines with those of the other, and sees those of the other only grow. */
static void compute(int me)
{
    uint32_t rounds = 0, seen = 0;

    ts_barrier(&shared->all, 0);
    for (int i = 0; shared->strangers && i < READERS * TS_QUEUES; i++)
        ts_express_store(ts_queue_port(shared->names[i / TS_QUEUES][i % TS_QUEUES], TAG, 0), (uint32_t)i);
    while (!(shared->done[0] && shared->done[1]) && shared->failed < 8) {
        for (int i = 0; i < WORDS; i++) shared->words[me][i]++;
        uint32_t now = shared->words[!me][next() % WORDS];
        if (now + 1 < seen) shared->failed++;
        seen = now > seen ? now : seen;
        rounds++;
    }
    for (int i = 0; i < WORDS; i++)
        if (shared->words[me][i] != rounds) shared->failed++;
    printf("named: %lu rounds beside\n", (unsigned long)rounds);
}

static void work(void)
{
    int me = ts_self();

    state = (uint32_t)(shared->seed * 977 + me);
    if (me < READERS) read_all();
    else if (me < READERS + senders()) send_all();
    else compute(me - READERS - senders());
    ts_barrier(&shared->all, 0);
}

int main(int argc, char **argv)
{
    shared = ts_alloc(sizeof *shared);
    shared->failed = shared->done[0] = shared->done[1] = 0;
    shared->count = argc > 1 ? atoi(argv[1]) : 100;
    shared->late = argc > 2 ? atoi(argv[2]) : 0;
    shared->seed = argc > 3 ? atoi(argv[3]) : 1;
    shared->strangers = argc > 4;
    for (int i = 0; i < COMPUTE * WORDS; i++) shared->words[i / WORDS][i % WORDS] = 0;
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("named: %s\n", shared->failed ? "wrong" : "correct");
    return shared->failed != 0;
}
