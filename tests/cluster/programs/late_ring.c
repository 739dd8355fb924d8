/*
 * Basic messages to one who reads late (VY-16 to VY-20, VY-28, VY-37): all send process 1 a row of them, of all sizes and some with lines, as fast as
 * they can, and it begins to read long after its ring was full. It checks that it got all of them, each sender's in order and whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turnstile.h>
#include <turnstile_message.h>

enum { READER = 1, MOST = 64 };

struct shared {
    ts_barrier_t all;
    volatile int failed;
    int count, late, begins;
};
static struct shared *shared;

/* Message `number` of process `from`: its length, its lines, and any of its bytes. */
static unsigned length_of(int from, int number) { return (unsigned)(from * 31 + number * 17) % (TS_BASIC_BYTES + 1); }
static unsigned lines_of(int from, int number) { return (unsigned)(from + number) % 8 < 3 ? (unsigned)(from + number) % 3 : 0; }
static unsigned char byte_of(int from, int number, unsigned at) { return (unsigned char)(from * 59 + number * 7 + (int)at * 3); }

static void fill(unsigned char *to, int number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) to[i] = byte_of(ts_self(), number, i);
}

static int differs(const unsigned char *found, int from, int number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        if (found[i] != byte_of(from, number, i)) return 1;
    return 0;
}

static void wrong(const char *what, const ts_basic_message_t *m, int number)
{
    if (shared->failed++ < 8)
        printf("late_ring: message %d from %d: %s (tag %u, %u bytes, %u lines)\n", number, m->from, what, m->tag, m->bytes, m->lines);
}

static void check(const ts_basic_message_t *m, int *expected)
{
    int number = expected[m->from % MOST]++;

    if (m->tag != (unsigned)number % 32 || m->bytes != length_of(m->from, number) || m->lines != lines_of(m->from, number)) wrong("not the next", m, number);
    else if (differs(m->payload, m->from, number, m->bytes) || differs(m->line, m->from, number, m->lines * TS_LINE_BYTES)) wrong("not whole", m, number);
}

static void work(void)
{
    ts_basic_t queue;

    ts_basic_open(&queue);
    if (ts_self() == READER) {
        const int all = shared->count * (ts_processes() - 1);
        const unsigned long begin = ts_clock();
        int expected[MOST] = {0};
        while (ts_clock() - begin < (unsigned long)shared->late) ts_relax();
        for (int i = 0; i < all; i++) {
            ts_basic_message_t m;
            ts_basic_receive(&queue, &m);
            check(&m, expected);
            ts_basic_release(&queue);
        }
        printf("late_ring: %d messages\n", all);
        const char *lost = ts_basic_refused(&queue);
        if (lost) printf("late_ring: %s\n", lost), shared->failed++;
    } else {
        unsigned char *area = ts_tagon_area(&queue);
        for (int i = 0; i < shared->count; i++) {
            unsigned bytes = length_of(ts_self(), i), lines = lines_of(ts_self(), i), line = (unsigned)i % (TS_TAGON_LINES - 1);
            fill(area + line * TS_LINE_BYTES, i, lines * TS_LINE_BYTES);
            fill(lines ? ts_tagon_make(&queue, READER, (unsigned)i % 32, bytes, line, lines) : ts_basic_make(&queue, READER, (unsigned)i % 32, bytes), i, bytes);
            if (i % 4 == 3) ts_basic_launch(&queue);
        }
        ts_basic_launch(&queue);
        ts_basic_drain(&queue);
    }
    ts_barrier(&shared->all, 0);
}

int main(int argc, char **argv)
{
    shared = ts_alloc(sizeof *shared);
    shared->failed = 0;
    shared->count = argc > 1 ? atoi(argv[1]) : 100;
    shared->late = argc > 2 ? atoi(argv[2]) : 40000;
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("late_ring: %s\n", shared->failed ? "wrong" : "correct");
    return shared->failed != 0;
}
