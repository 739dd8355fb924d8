/*
 * Process 0 does one thing at a time for a known time, each under a mark of its own, and says how long it took by its own clock. Process 1 keeps it waiting.
 * For SITES=2 APS=1.
 */
#include <pthread.h>
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_message.h>

enum { NOTHING = 20, ALONE, COMPUTES, HITS, PRIVATE, SHARED, QUEUE, LOCK, MUTEX, BARRIER, KINDS };
enum { LINE = 64 / 4, LINES = 512, HELD = 20000, LOOPS = 10000 };
static const char *const names[] = {"nothing", "alone", "computes", "hits", "private", "shared", "queue", "lock", "mutex", "barrier"};

static struct shared {
    ts_lock_t lock;
    ts_barrier_t barrier;
    pthread_mutex_t mutex;
    volatile int held __attribute__((aligned(128))), taken;
} *shared;
static volatile uint32_t *far_lines, own[LINES * LINE] __attribute__((aligned(64)));

static void compute(void)
{
    for (int n = LOOPS; n; n--) __asm__ volatile("" ::: "memory");
}

/* `lines` lines, over and over. */
static void load(volatile uint32_t *from, unsigned lines)
{
    for (unsigned n = 0; n < LINES; n++) (void)from[n % lines * LINE];
}

static void look(void)
{
    ts_express_t message;
    for (int n = 0; n < 500; n++) (void)ts_express_poll(&message);
}

static void wait(unsigned long cycles)
{
    const unsigned long begin = ts_clock();
    while (ts_clock() - begin < cycles) __asm__ volatile("");
}

#define TIMED(kind, what)                                                                            \
    do {                                                                                             \
        ts_mark(kind);                                                                                 \
        const unsigned long begin = ts_clock();                                                      \
        what;                                                                                        \
        const unsigned long took = ts_clock() - begin;                                               \
        ts_mark(NOTHING);                                                                               \
        printf("time: %s %lu\n", names[(kind)-NOTHING], took);                                       \
    } while (0)

static void other(void)
{
    far_lines[0] = 1; /* the pages are its own */
    ts_barrier(&shared->barrier, 0);
    ts_lock(&shared->lock);
    shared->held = 1;
    while (shared->taken != 1) ts_relax();
    wait(HELD);
    ts_unlock(&shared->lock);
    pthread_mutex_lock(&shared->mutex);
    shared->held = 2;
    while (shared->taken != 2) ts_relax();
    wait(HELD);
    pthread_mutex_unlock(&shared->mutex);
    while (shared->taken != 3) ts_relax();
    wait(HELD);
    ts_barrier(&shared->barrier, 0);
}

/* Process 1 has what is waited for, and knows that it is about to be. */
static void awaited(int number)
{
    while (shared->held != number) ts_relax();
    shared->taken = number;
}

static void measured(void)
{
    ts_barrier(&shared->barrier, 0);
    TIMED(COMPUTES, compute());
    load(own, 1);
    TIMED(HITS, load(own, 1));
    TIMED(PRIVATE, load(own, LINES));
    TIMED(SHARED, load(far_lines, LINES));
    TIMED(QUEUE, look());
    awaited(1);
    TIMED(LOCK, ts_lock(&shared->lock));
    ts_unlock(&shared->lock);
    awaited(2);
    TIMED(MUTEX, pthread_mutex_lock(&shared->mutex));
    pthread_mutex_unlock(&shared->mutex);
    shared->taken = 3;
    TIMED(BARRIER, ts_barrier(&shared->barrier, 0));
}

static void work(void)
{
    if (ts_self()) other();
    else measured();
}

int main(void)
{
    shared = ts_alloc(sizeof *shared);
    far_lines = ts_alloc_pages(sizeof own, 1, 128);
    ts_lock_init(&shared->lock, 1);
    ts_barrier_init(&shared->barrier, 2);
    pthread_mutex_init(&shared->mutex, NULL);
    shared->held = shared->taken = 0;
    TIMED(ALONE, compute());
    ts_create_all(work, 2);
    ts_wait_for_end(2);
    return 0;
}
