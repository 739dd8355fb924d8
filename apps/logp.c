/*
 * LogP of the message mechanisms (VY-50), for `make bench`: process 1 sends to process 0, two hops, software included. A line a mechanism
 * and size, all in cycles: overhead of sending and of receiving (a message that has come), one-way latency (half a round trip), gap of a stream
 * (each message written, sent by itself, and read) at its sender and at its receiver, and gap of a ring full of messages that leaves with one
 * pointer update while nobody reads payload: what the message units take. Link share: payload of that over the link's raw 8 bytes a cycle.
 */
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_message.h>

enum { RECEIVER = 0, SENDER = 1, ROUNDS = 4, STREAM = 32, WORDS = 12, TAG = 3, SETTLED = 400, MEET = 0x4D454554 };
enum kind { EXPRESS, BASIC, TAGON };
static const char *const names[] = {"express", "basic", "basic+tagon"};
static const struct { enum kind kind; unsigned bytes, lines; } rows[] = {
    {EXPRESS, 4, 0}, {BASIC, 0, 0}, {BASIC, 4, 0}, {BASIC, 8, 0}, {BASIC, 16, 0}, {BASIC, 32, 0}, {BASIC, 48, 0}, {BASIC, 56, 0}, {BASIC, 64, 0},
    {BASIC, 88, 0}, {TAGON, 8, 1}, {TAGON, 8, 2}, {TAGON, 88, 2},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct result { unsigned long send, receive, round_trips, sent, stream, units, counted; };
struct shared {
    ts_barrier_t all;
    struct result result[ROWS];
    volatile uint32_t sum;
};
static struct shared *shared;
static ts_basic_t queue;
static ts_basic_message_t basic;
static ts_express_port_t port;
static enum kind kind;
static unsigned bytes, lines;
static unsigned long clock_cost, counted;

static void settle(unsigned long cycles)
{
    unsigned long begin = ts_clock();
    while (ts_clock() - begin < cycles) ts_relax();
}

/* A barrier of the two, without the sPs, which answer an aP that asks all the time at their own pace. */
static void meet(void)
{
    ts_express_t other;

    ts_express_store(port, MEET);
    ts_express_receive(&other);
    if (other.word != MEET) ts_fail("logp: a message %lx where process %d meets", (unsigned long)other.word, other.from);
}

/* A message, its payload written. */
static inline void make(int to, uint32_t value)
{
    uint32_t *payload = kind == TAGON ? ts_tagon_make(&queue, to, TAG, bytes, 2, lines) : ts_basic_make(&queue, to, TAG, bytes);
    for (unsigned i = 0; i < bytes / 4; i++) payload[i] = value;
}

static inline void send(int to, uint32_t value)
{
    if (kind == EXPRESS) {
        ts_express_store(port, value);
        return;
    }
    make(to, value);
    ts_basic_launch(&queue);
}

/* Waits for a message and reads all of it. */
static inline uint32_t receive(void)
{
    ts_express_t express;
    uint32_t sum = 0;

    if (kind == EXPRESS) {
        while (!ts_express_poll(&express)) {
        }
        return express.word;
    }
    while (!ts_basic_poll(&queue, &basic)) {
    }
    for (unsigned i = 0; i < basic.bytes / 4; i++) sum += ((const volatile uint32_t *)basic.payload)[i];
    for (unsigned i = 0; i < basic.lines * TS_LINE_BYTES / 4; i++) sum += ((const volatile uint32_t *)basic.line)[i];
    ts_basic_release(&queue);
    return sum;
}

static unsigned long overhead_of_sending(void)
{
    unsigned long all = 0;
    for (int i = 0; i < ROUNDS; i++) {
        settle(SETTLED);
        unsigned long begin = ts_clock();
        send(RECEIVER, i);
        all += ts_clock() - begin - clock_cost;
    }
    return all;
}

static unsigned long overhead_of_receiving(void)
{
    unsigned long all = 0;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned long begin = ts_clock();
        shared->sum += receive();
        all += ts_clock() - begin - clock_cost;
    }
    return all;
}

static unsigned long round_trips(int me, int other)
{
    unsigned long begin = ts_clock();
    for (int i = 0; i < ROUNDS; i++) {
        if (me == SENDER) send(other, i);
        (void)receive();
        if (me == RECEIVER) send(other, i);
    }
    return ts_clock() - begin;
}

static unsigned long stream(int me)
{
    unsigned long first = 0;
    const ts_express_port_t to = port;

    if (me == SENDER && kind == EXPRESS) { /* nothing between the stores but the loop */
        first = ts_clock();
        for (int i = 0; i <= WORDS; i++) ts_express_store(to, i);
        return ts_clock() - first - clock_cost;
    }
    for (int i = 0; i <= (kind == EXPRESS ? WORDS : STREAM); i++) {
        if (me == SENDER) send(RECEIVER, i);
        else (void)receive();
        if (i == 0) first = ts_clock();
    }
    return ts_clock() - first;
}

/* A ring full of messages, written before, leaves with one pointer update; the receiver counts them. */
static unsigned long units_alone(int me)
{
    unsigned long all = counted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (me == SENDER) {
            for (unsigned i = 0; i < queue.slots; i++) make(RECEIVER, i);
            meet();
            ts_basic_launch(&queue);
            ts_basic_drain(&queue);
            meet();
        } else {
            meet();
            unsigned before;
            unsigned long begin;
            while ((before = ts_basic_waiting(&queue)) == 0) {
            }
            begin = ts_clock();
            while (ts_basic_waiting(&queue) < queue.slots) {
            }
            all += ts_clock() - begin;
            counted += queue.slots - before;
            while (ts_basic_poll(&queue, &basic)) {
            }
            ts_basic_release(&queue);
            meet();
        }
    }
    return all;
}

/* Two lines of code: one of them at least has not the place of ts_clock's in the instruction cache. */
#define TWO_CLOCKS(name)                                                           \
    __attribute__((noinline, no_icf, aligned(64))) static unsigned long name(void) \
    {                                                                              \
        unsigned long begin = ts_clock();                                          \
        return ts_clock() - begin;                                                 \
    }
TWO_CLOCKS(two_clocks)
TWO_CLOCKS(two_more_clocks)

static void measure(int me, int other)
{
    ts_basic_open(&queue);
    clock_cost = -1ul;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned long cost = i % 2 ? two_clocks() : two_more_clocks();
        if (cost < clock_cost) clock_cost = cost;
    }
    for (int row = 0; row < ROWS; row++) {
        struct result *r = &shared->result[row];
        kind = rows[row].kind, bytes = rows[row].bytes, lines = rows[row].lines;
        port = ts_express_port(other, TAG, 0);
        for (int pass = 0; pass < 2; pass++) { /* the first warms caches */
            meet();
            if (me == SENDER) {
                r->send = overhead_of_sending();
            } else {
                settle(ROUNDS * 2 * SETTLED); /* all have come, and wait */
                r->receive = overhead_of_receiving();
            }
            meet();
            unsigned long round_trips_took = round_trips(me, other);
            meet();
            unsigned long took = stream(me);
            if (me == SENDER) r->round_trips = round_trips_took, r->sent = took;
            else r->stream = took;
            meet();
            took = kind == EXPRESS ? 0 : units_alone(me);
            if (me == RECEIVER) r->units = took, r->counted = counted;
        }
    }
}

static void work(void)
{
    if (ts_self() == RECEIVER) measure(RECEIVER, SENDER);
    else if (ts_self() == SENDER) measure(SENDER, RECEIVER);
    ts_barrier(&shared->all, 0);
}

static void tenths(unsigned long cycles, unsigned long of)
{
    unsigned long n = (cycles * 10 + of / 2) / of;
    printf(",%lu.%lu", n / 10, n % 10);
}

int main(void)
{
    if (ts_processes() < 2) {
        printf("logp: runs on 2 processes or more\n");
        return 2;
    }
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("mechanism,bytes,overhead_send,overhead_receive,one_way,gap_send,gap_stream,gap_units,link_share\n");
    for (int i = 0; i < ROWS; i++) {
        const struct result *r = &shared->result[i];
        unsigned payload = rows[i].bytes + rows[i].lines * TS_LINE_BYTES;
        printf("%s,%u", names[rows[i].kind], payload);
        tenths(r->send, ROUNDS);
        tenths(r->receive, ROUNDS);
        tenths(r->round_trips, 2 * ROUNDS);
        tenths(r->sent, rows[i].kind == EXPRESS ? WORDS + 1 : STREAM);
        tenths(r->stream, rows[i].kind == EXPRESS ? WORDS : STREAM);
        if (r->units && r->counted) {
            unsigned long share = payload * 1000ul * r->counted / (8 * r->units);
            tenths(r->units, r->counted);
            printf(",0.%03lu\n", share);
        } else {
            printf(",,\n");
        }
    }
    return 0;
}
