/*
 * For SITES=2 APS=2. Process 3 moves a queue to which process 2 may send, and did not ask to, between two places of its own, over and over. Process 2 never sends to
 * it: it asks process 0 and is answered, Express messages of the program's own, first while nothing moves and then while process 3 does what it can. (VY-35, VY-36)
 *
 * ARGS: questions
 */
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>
#include <turnstile_message.h>
#include <turnstile_queue.h>

enum { ANSWERS = 0, ASKS = 2, MOVES = 3, TAG = 17 };

static struct shared {
    ts_barrier_t all;
    int count;
    volatile int end __attribute__((aligned(128)));
    volatile unsigned moves;
} *shared;

/* Cycles of all questions. */
static unsigned long ask(void)
{
    const unsigned long begin = ts_clock();

    for (int i = 0; i < shared->count; i++) {
        ts_express_t answer;
        ts_express_send(ANSWERS, TAG, 0, (uint32_t)i);
        ts_express_receive(&answer);
        if (answer.word != (uint32_t)i * 3) ts_fail("question %d was answered wrong", i);
    }
    return ts_clock() - begin;
}

static void move(void)
{
    static ts_queue_t here, there;
    static ts_queue_load_t load;
    unsigned n = 0;

    if (!ts_queue_open(&here, 32) || !ts_queue_open(&there, 32)) ts_fail("no queues");
    ts_queue_grant(&here, ASKS, 1);
    ts_barrier(&shared->all, 0);
    ts_barrier(&shared->all, 0);
    for (ts_queue_t *from = &here, *to = &there; !shared->end; n++) {
        const unsigned name = from->name;
        ts_queue_t *was = from;
        ts_queue_expect(to, name);
        if (!ts_queue_move(from, to->place, &load)) ts_fail("move %u was refused", n);
        ts_queue_adopt(to, name, &load);
        load.ready = 0;
        from = to;
        to = was;
    }
    shared->moves = n;
}

static void work(void)
{
    switch (ts_self()) {
    case MOVES:
        move();
        break;
    case ANSWERS:
        ts_barrier(&shared->all, 0);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < shared->count; i++) {
                ts_express_t question;
                ts_express_receive(&question);
                ts_express_send(ASKS, TAG, 0, question.word * 3);
            }
            if (!round) ts_barrier(&shared->all, 0);
        }
        break;
    case ASKS: {
        ts_barrier(&shared->all, 0);
        const unsigned long alone = ask();
        ts_barrier(&shared->all, 0);
        const unsigned long beside = ask();
        shared->end = 1;
        printf("moved_often: alone %lu beside %lu\n", alone, beside);
        break;
    }
    default:
        ts_barrier(&shared->all, 0);
        ts_barrier(&shared->all, 0);
    }
    ts_barrier(&shared->all, 0);
}

int main(int argc, char **argv)
{
    shared = ts_alloc(sizeof *shared + 128);
    shared = (struct shared *)(((uintptr_t)shared + 127) & ~(uintptr_t)127);
    shared->count = argc > 1 ? atoi(argv[1]) : 100;
    shared->end = 0;
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("moved_often: %u moves\n", shared->moves);
    return 0;
}
