/*
 * What sharing an Express queue costs (VY-27, VY-50), for `make bench`: 1, 2 and all aPs of site 0 send by process 0's queue, those of site 1 take from the FIFO of one named
 * queue, no lock. A line each: cycles a message, from the first thread's begin to the last one's end; what is sent fits into the FIFOs of
 * site 1's own queues, a quarter each. On 2 sites of 4 aPs.
 */
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_message.h>
#include <turnstile_queue.h>

enum { APS = 4, BURST = 12 /* fits into a FIFO */, SENT = APS * BURST, SLOTS = 32, TAG = 3, SOON = 2000, PACE = 1024 /* cycles a message, of those to sPs too */ };

/* A line for each that writes. */
static struct shared {
    ts_barrier_t all;
    volatile uint32_t name, fifo;
    volatile uint32_t start __attribute__((aligned(64)));
    struct { volatile uint32_t begin, end; } time[2 * APS] __attribute__((aligned(64)));
    unsigned long send[APS + 1], take[APS + 1];
} *shared;
static unsigned long clock_cost;

/* Threads of a site, at the same time. */
static void together(int first)
{
    if (ts_self() == first) shared->start = ts_clock() + SOON;
    ts_barrier(&shared->all, 0);
    while ((int32_t)(ts_clock() - shared->start) < 0) {
    }
}

static unsigned long took(int first, int threads)
{
    uint32_t begin = shared->time[first].begin, end = shared->time[first].end;

    for (int i = first + 1; i < first + threads; i++) {
        if ((int32_t)(shared->time[i].begin - begin) < 0) begin = shared->time[i].begin;
        if ((int32_t)(shared->time[i].end - end) > 0) end = shared->time[i].end;
    }
    return end - begin - clock_cost;
}

static void send(int me, int threads)
{
    const int rounds = BURST / threads;
    ts_express_port_t port[APS];
    ts_express_t message;

    for (int i = 0; me < APS && i < APS; i++) port[i] = ts_express_port_by(0, ts_express_port(APS + i, TAG, 0));
    together(0);
    if (me < threads) {
        const ts_express_port_t a = port[0], b = port[1], c = port[2], d = port[3];
        shared->time[me].begin = ts_clock();
        for (int i = 0; i < rounds; i++) {
            ts_express_store(a, i);
            ts_express_store(b, i);
            ts_express_store(c, i);
            ts_express_store(d, i);
        }
        shared->time[me].end = ts_clock();
    }
    if (me >= APS)
        for (int i = 0; i < BURST; i++) ts_express_receive(&message);
    ts_barrier(&shared->all, 0);
    if (me == 0) shared->send[threads] = took(0, threads);
}

static void take(int me, int threads)
{
    const ts_express_port_t port = ts_queue_port(shared->name, TAG, 0);
    const unsigned fifo = shared->fifo;
    const int each = BURST / threads;
    ts_queue_message_t message;

    if (me == 0) {
        for (int i = 0; i < BURST; i++) ts_express_store(port, i);
        for (uint32_t begin = ts_clock(); ts_clock() - begin < BURST * PACE;) ts_relax();
    }
    ts_barrier(&shared->all, 0);
    together(APS);
    if (me >= APS && me < APS + threads) {
        shared->time[me].begin = ts_clock();
        for (int left = each; left > 0;) left -= ts_queue_poll_shared(fifo, &message);
        shared->time[me].end = ts_clock();
    }
    ts_barrier(&shared->all, 0);
    if (me == 0) shared->take[threads] = took(APS, threads);
}

static void work(void)
{
    const int me = ts_self();
    static ts_queue_t queue;
    ts_queue_message_t message;

    if (me == 0)
        for (int i = 1; i < APS; i++) ts_express_share(i, 1);
    if (me == APS) {
        if (!ts_queue_open(&queue, SLOTS) || !ts_queue_resume(&queue)) ts_fail("several: no queue, or no FIFO for it");
        ts_queue_grant(&queue, 0, 1);
        shared->name = queue.name;
        while (ts_queue_poll(&queue, &message)) { /* the sP hears that nothing is kept, and the FIFO takes what comes */
        }
        for (int i = 1; i < APS; i++) shared->fifo = ts_queue_share(&queue, APS + i, 1);
    }
    clock_cost = -1ul;
    for (int i = 0; i < 4; i++) {
        unsigned long begin = ts_clock(), cost = ts_clock() - begin;
        if (cost < clock_cost) clock_cost = cost;
    }
    ts_barrier(&shared->all, 0);
    for (int threads = 1; threads <= APS; threads *= 2)
        for (int pass = 0; pass < 2; pass++) { /* the first warms caches */
            send(me, threads);
            take(me, threads);
        }
}

static void tenths(unsigned long cycles, unsigned long of)
{
    unsigned long n = (cycles * 10 + of / 2) / of;
    printf(",%lu.%lu", n / 10, n % 10);
}

int main(void)
{
    if (ts_processes() != 2 * APS) {
        printf("several: runs on two sites of %d aPs\n", APS);
        return 2;
    }
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("threads,send,take\n");
    for (int threads = 1; threads <= APS; threads *= 2) {
        printf("%d", threads);
        tenths(shared->send[threads], SENT);
        tenths(shared->take[threads], BURST);
        printf("\n");
    }
    return 0;
}
