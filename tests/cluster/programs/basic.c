/*
 * Basic messages through the aPs' data caches (VY-16 to VY-19, VY-28, VY-29, VY-44; T7, T12). Each process sends the next one all sizes from 0
 * to 88 bytes, 1 to 16 with a pointer update, and receives as many; every byte is checked. With `lines` it does so twice, and each message has
 * 1 or 2 lines of the tag-on area besides, whose contents change between. With `half` only the first aP of each site sends and
 * receives, while the others add to a counter in shared memory. An Express message says how many were read, so that no ring overflows.
 */
#include <stdio.h>
#include <string.h>
#include <turnstile.h>
#include <turnstile_message.h>

enum { SIZES = TS_BASIC_BYTES + 1, SLOTS = 16, CREDIT = 7, ADDITIONS = 40 };

struct shared {
    ts_barrier_t all;
    ts_lock_t lock;
    volatile int sum;
};
static struct shared *shared;
static int lines, half, count;

static void wrong(const char *what, int number, unsigned found, unsigned wanted)
{
    ts_fail("basic: message %d: %s %u, wanted %u", number, what, found, wanted);
}

static unsigned byte_of(int from, int number, unsigned at) { return (unsigned)(from * 89 + number * 7 + at * 3 + 1) & 255; }
/* Sizes come in an order of their own in each round. */
static unsigned bytes_of(int number) { return (unsigned)(number * (5 + 4 * (number / SIZES)) % SIZES); }
static unsigned first_line(int number) { return number % 10 == 9 ? TS_TAGON_LINES - 2 : (unsigned)(number % 10 * 101); }
static unsigned lines_of(int number) { return lines ? 1 + (unsigned)number % 2 : 0; }
static unsigned char line_byte(int from, int number, unsigned line, unsigned at)
{
    return (unsigned char)(from * 31 + (int)line * 5 + (int)at + number / SIZES * 111);
}

static void fill(ts_basic_t *queue, int number)
{
    unsigned char *area = ts_tagon_area(queue);
    for (int k = 18; k > 8; k--) /* what was launched last is changed first */
        for (unsigned l = first_line(k); l < first_line(k) + 2; l++)
            for (unsigned i = 0; i < TS_LINE_BYTES; i++) area[l * TS_LINE_BYTES + i] = line_byte(ts_self(), number, l, i);
}

static void send(ts_basic_t *queue, int to, int number)
{
    unsigned bytes = bytes_of(number);
    unsigned char *payload = lines ? ts_tagon_make(queue, to, number & 31, bytes, first_line(number), lines_of(number))
                                   : ts_basic_make(queue, to, number & 31, bytes);
    for (unsigned i = 0; i < bytes; i++) payload[i] = byte_of(ts_self(), number, i);
}

static void check(const ts_basic_message_t *m, int from, int number)
{
    const unsigned char *payload = m->payload, *line = m->line;
    unsigned i;

    if (m->from != from) wrong("from", number, m->from, from);
    if (m->tag != (number & 31u)) wrong("tag", number, m->tag, number & 31);
    if (m->bytes != bytes_of(number)) wrong("bytes", number, m->bytes, bytes_of(number));
    if (m->lines != lines_of(number)) wrong("lines", number, m->lines, lines_of(number));
    for (i = 0; i < m->bytes; i++)
        if (payload[i] != byte_of(from, number, i)) wrong("a byte", number, payload[i], byte_of(from, number, i));
    for (i = 0; i < m->lines * TS_LINE_BYTES; i++) {
        unsigned wanted = line_byte(from, number, first_line(number) + i / TS_LINE_BYTES, i % TS_LINE_BYTES);
        if (line[i] != wanted) wrong("a byte of a line", number, line[i], wanted);
    }
}

static void exchange(void)
{
    const int step = half ? ts_processes() / 2 : 1, of = ts_processes(), next = (ts_self() + step) % of, before = (ts_self() + of - step) % of;
    ts_basic_t queue;
    ts_basic_message_t m;
    ts_express_t credit;
    int sent = 0, got = 0, credits = SLOTS, batch = 1;

    ts_basic_open(&queue);
    if (lines) fill(&queue, 0);
    while (sent < count || got < count) {
        int now = batch;
        if (now > count - sent) now = count - sent;
        if (sent < SIZES && now > SIZES - sent) now = SIZES - sent; /* the tag-on area changes there */
        if (now > 0 && now <= credits) {
            for (int i = 0; i < now; i++) send(&queue, next, sent++);
            ts_basic_launch(&queue);
            if (lines && sent == SIZES) {
                ts_basic_drain(&queue);
                fill(&queue, sent);
            }
            credits -= now;
            batch = batch % SLOTS + 1;
        }
        int taken = 0;
        for (; ts_basic_poll(&queue, &m); taken++) check(&m, before, got++);
        if (taken) {
            ts_basic_release(&queue);
            ts_express_send(before, CREDIT, 0, taken);
        }
        while (ts_express_poll(&credit)) {
            if (credit.from != next || credit.tag != CREDIT) wrong("a credit from", sent, credit.from, next);
            credits += credit.word;
        }
    }
    while (credits < SLOTS) {
        ts_express_receive(&credit);
        credits += credit.word;
    }
    ts_basic_drain(&queue);
    if (ts_basic_poll(&queue, &m)) wrong("one more, from", got, m.from, before);
    const char *refused = ts_basic_refused(&queue);
    if (refused) ts_fail("basic: refused: %s", refused);
}

static void compute(void)
{
    for (int i = 0; i < ADDITIONS; i++) {
        ts_lock(&shared->lock);
        shared->sum++;
        ts_unlock(&shared->lock);
    }
}

static void work(void)
{
    int first = !half || ts_self() % 2 == 0;

    if (first) exchange();
    else compute();
    ts_barrier(&shared->all, 0);
}

int main(int argc, char **argv)
{
    int wanted;

    for (int i = 1; i < argc; i++) {
        lines |= !strcmp(argv[i], "lines");
        half |= !strcmp(argv[i], "half");
    }
    count = SIZES * (1 + lines);
    shared = ts_alloc(sizeof *shared);
    shared->sum = 0;
    ts_barrier_init(&shared->all, ts_processes());
    ts_lock_init(&shared->lock, 1);
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    wanted = half ? ts_processes() / 2 * ADDITIONS : 0;
    if (shared->sum != wanted) wrong("sum", 0, shared->sum, wanted);
    printf("basic: correct\n");
    return 0;
}
