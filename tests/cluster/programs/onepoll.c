/*
 * OnePoll (VY-31, VY-32; T13): every process sends every other Express and Basic messages and takes what comes by one load for both queues. First all
 * have come before anyone looks: what is found is in the order of the group, and the other way round when the group is registered anew; a
 * group of one queue finds nothing of the other. Then they send, poll and register anew at once: each sender's messages come once, in order.
 */
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_message.h>

enum { WAITING = 3, EACH = 24, MOST = 16, TAG = 9, EXPRESS_GROUP = 2, NO_GROUP = 3 };

struct shared {
    ts_barrier_t all;
    volatile int failed;
};
static struct shared *shared;
static ts_basic_t queue;
static ts_onepoll_t both, express, nothing;
static uint32_t next_express[MOST], next_basic[MOST];
static int got_express, got_basic;

static void expect(int is, const char *what, uint32_t value)
{
    if (is) return;
    printf("onepoll: process %d: %s: %lx\n", ts_self(), what, (unsigned long)value);
    shared->failed = 1;
}

static uint32_t value(int from, int to, uint32_t number) { return (uint32_t)from << 24 | (uint32_t)to << 16 | number; }

static void send_express(int to, uint32_t number) { ts_express_send(to, TAG, 0, value(ts_self(), to, number)); }
static void send_basic(int to, uint32_t number)
{
    uint32_t word = value(ts_self(), to, number);
    ts_basic_send(&queue, to, TAG, &word, sizeof word);
}

static ts_found_t look(ts_onepoll_t *poll)
{
    ts_express_t m = {0, 0, 0, 0};
    ts_basic_message_t b;
    ts_found_t found = ts_onepoll(poll, &m);

    if (found == TS_EXPRESS) {
        expect(m.tag == TAG && m.word == value(m.from, ts_self(), next_express[m.from % MOST]++), "Express", m.word);
        got_express++;
    } else if (found == TS_BASIC) {
        for (expect(ts_basic_poll(&queue, &b), "a Basic queue without a message", 0);; (void)0) {
            uint32_t word = *(const uint32_t *)b.payload;
            expect(b.bytes == 4 && word == value(b.from, ts_self(), next_basic[b.from % MOST]++), "Basic", word);
            got_basic++;
            if (queue.arrived == queue.taken || !ts_basic_poll(&queue, &b)) break;
        }
        ts_basic_release(&queue);
    }
    return found;
}

static void waiting(ts_found_t first, ts_found_t second, uint32_t number)
{
    const int others = ts_processes() - 1;
    ts_found_t found;

    ts_onepoll_open(&both, 0, first, second, &queue);
    got_express = got_basic = 0;
    for (int to = 0; to < ts_processes(); to++)
        for (uint32_t i = number; to != ts_self() && i < number + WAITING; i++) send_express(to, i), send_basic(to, i);
    ts_basic_drain(&queue);
    ts_barrier(&shared->all, 0);
    while (ts_basic_waiting(&queue) < (unsigned)(WAITING * others)) ts_relax();
    expect(look(&nothing) == TS_NOTHING, "a group of no queue has something", 0);
    while ((found = look(&both)) == first) {
    }
    expect(found == second && (first == TS_EXPRESS ? got_express : got_basic) == WAITING * others, "the first queue was not read out, but", (uint32_t)(got_express << 8 | got_basic));
    while (got_express + got_basic < 2 * WAITING * others) look(&both);
    expect(look(&both) == TS_NOTHING, "more than was sent", 0);
    ts_barrier(&shared->all, 0);
}

/* Nobody runs ahead by more than a ring has slots. */
static int all_sent(uint32_t number)
{
    for (int from = 0; from < ts_processes(); from++)
        if (from != ts_self() && (next_basic[from] < number || next_express[from] < number)) return 0;
    return 1;
}

static void work(void)
{
    const int others = ts_processes() - 1;
    uint32_t sent = 2 * WAITING;
    int turn = 0;

    ts_basic_open(&queue);
    ts_onepoll_open(&express, EXPRESS_GROUP, TS_EXPRESS, TS_NOTHING, NULL);
    ts_onepoll_open(&nothing, NO_GROUP, TS_NOTHING, TS_NOTHING, NULL);
    waiting(TS_BASIC, TS_EXPRESS, 0);
    waiting(TS_EXPRESS, TS_BASIC, WAITING);
    got_express = got_basic = 0;
    while (got_express + got_basic < 2 * EACH * others) {
        if (sent < 2 * WAITING + EACH && all_sent(sent - 1)) {
            for (int to = 0; to < ts_processes(); to++)
                if (to != ts_self()) send_express(to, sent), send_basic(to, sent);
            sent++;
        }
        if (++turn % 8 == 0) ts_onepoll_open(&both, (unsigned)turn / 8 % 2, turn & 8 ? TS_BASIC : TS_EXPRESS, turn & 8 ? TS_EXPRESS : TS_BASIC, &queue);
        expect(look(&express) != TS_BASIC, "a group of the Express queue has a Basic message", 0);
        look(&both);
    }
    expect(got_express == EACH * others && got_basic == EACH * others, "Express messages", (uint32_t)got_express);
    ts_barrier(&shared->all, 0);
}

int main(void)
{
    shared = ts_alloc(sizeof *shared);
    shared->failed = 0;
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("onepoll: %s\n", shared->failed ? "wrong" : "correct");
    return shared->failed;
}
