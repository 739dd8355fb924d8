/*
 * Express messages (VY-20, VY-22 to VY-25, VY-37). Every process sends every other a row of them, some of high priority; each checks that it got
 * all of them, from whom they say, each sender's messages of one priority in their order, and nothing else. With `late` all send to
 * process 1, which begins to read long after its queue is full.
 */
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_message.h>

enum { ROUNDS = 6, LATE_ROUNDS = 60, TAG = 24, MOST = 64, READER = 1, LATE = 20000, NOTHING_MORE = 10000 };

struct shared {
    ts_barrier_t all;
    volatile int failed;
};
static struct shared *shared;
static int late;

static void wrong(const ts_express_t *m)
{
    printf("queues: process %d: from %d, tag %u, priority %u: %lx\n", ts_self(), m->from, m->tag, m->priority, (unsigned long)m->word);
    shared->failed = 1;
}

/* Message `number` of a process: to each in turn; with `late` to the reader alone, all of low priority. */
static void send(int number)
{
    int to = late ? READER : number % ts_processes(), round = late ? number : number / ts_processes(), priority = !late && round & 1;
    if (to != ts_self())
        ts_express_send(to, TAG + priority, priority, (uint32_t)ts_self() << 24 | (uint32_t)to << 16 | (uint32_t)round);
}

static void work(void)
{
    const int others = ts_processes() - 1, all = late ? LATE_ROUNDS : ROUNDS * ts_processes();
    const int mine = late ? ts_self() == READER ? LATE_ROUNDS * others : 0 : ROUNDS * others;
    const unsigned long begin = ts_clock();
    uint32_t expected[MOST][2];
    ts_express_t m;
    int got = 0, sent = 0;

    for (int i = 0; i < ts_processes(); i++) expected[i][0] = 0, expected[i][1] = 1;
    while (late && ts_self() == READER && ts_clock() - begin < LATE) ts_relax();
    while (got < mine || sent < all) {
        if (sent < all) send(sent++);
        if (!ts_express_poll(&m)) continue;
        got++;
        uint32_t *next = &expected[m.from % MOST][m.priority];
        if (m.from < 0 || m.from >= ts_processes() || m.word != ((uint32_t)m.from << 24 | (uint32_t)ts_self() << 16 | *next) || m.tag != TAG + m.priority)
            wrong(&m);
        *next += late ? 1 : 2;
    }
    for (const unsigned long end = ts_clock() + NOTHING_MORE; ts_clock() < end;)
        if (ts_express_poll(&m)) wrong(&m);
    if (mine) printf("queues: process %d: %d messages\n", ts_self(), got);
    ts_barrier(&shared->all, 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    late = argc > 1;
    shared = ts_alloc(sizeof *shared);
    shared->failed = 0;
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("queues: %s\n", shared->failed ? "wrong" : "correct");
    return shared->failed;
}
