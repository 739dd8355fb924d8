/*
 * aPs of a site share an Express queue without a lock (VY-22 to VY-27): all of site 0 send by process 0's, all of site 1 take from the FIFO of one named queue. Each
 * message comes to one taker, whole, and a taker sees those of a sender in their order. Before that, what the sP refuses to share. For SITES=2.
 */
#include <niu_regs.h>
#include <stdio.h>
#include <string.h>
#include <turnstile.h>
#include <turnstile_queue.h>
#include <turnstile_service.h>

enum { MOST = 4, EACH = 48, SLOTS = 64, TAGS = 16, EXPRESS = 2, BASIC = 10, SERVICES = 1 };
#define WORD(address) (*(volatile uint32_t *)(address))

/* A line at least for each that writes. */
static struct shared {
    ts_barrier_t all;
    volatile uint32_t name, fifo, enough;
    struct taker {
        volatile uint32_t count __attribute__((aligned(64)));
        uint8_t seen[MOST][EACH];
    } taker[MOST] __attribute__((aligned(64)));
} *shared;
static int aps;

static uint32_t word_of(int sender, unsigned number) { return (uint32_t)sender << 24 | number << 16 | (~((uint32_t)sender << 8 | number) & 0xFFFF); }
static unsigned tag_of(int sender, unsigned number) { return (number * 5 + (unsigned)sender) % TAGS; }

static uint32_t ask(uint32_t site, uint32_t word)
{
    WORD(AP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(EXPRESS) + EXPRESS_TX_TAG(TS_SVC_QUEUE) + EXPRESS_TX_DEST(site << 3 | SERVICES)) = word;
    while ((WORD(AP_EXPRESS_RX_BASE + EXPRESS * AP_PAGE_BYTES + AP_EXPRESS_RX_META) & EXPRESS_META_TYPE_MASK) != 1) {
    }
    return WORD(AP_EXPRESS_RX_BASE + EXPRESS * AP_PAGE_BYTES + AP_EXPRESS_RX_DATA);
}

static void refusals(void)
{
    static const struct { uint32_t site, word, answer; } asked[] = {
        {0, TS_SHARE_WORD(EXPRESS, 1, 1), EXPRESS}, {0, TS_SHARE_WORD(EXPRESS, 1, 0), EXPRESS}, {1, TS_SHARE_WORD(EXPRESS, 1, 1), TS_SVC_REFUSED},
        {0, TS_SHARE_WORD(EXPRESS, 0, 1), TS_SVC_REFUSED}, {0, TS_SHARE_WORD(EXPRESS + 1, 1, 1), TS_SVC_REFUSED}, {0, TS_SHARE_WORD(0, 1, 1), TS_SVC_REFUSED},
        {0, TS_SHARE_WORD(6, 1, 1), TS_SVC_REFUSED}, {0, TS_SHARE_WORD(EXPRESS, 1, 1) | 1u << 6, TS_SVC_REFUSED},
        {0, TS_SHARE_WORD(EXPRESS, 1, 1) | 1u << 31, TS_SVC_REFUSED}, {0, EXPRESS, TS_SVC_REFUSED},
    };
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        uint32_t answer = ask(asked[i].site, asked[i].word);
        if (answer != asked[i].answer)
            ts_fail("site %lu answers %lx to %lx, expected %lx", (unsigned long)asked[i].site, (unsigned long)answer, (unsigned long)asked[i].word,
                    (unsigned long)asked[i].answer);
    }
}

static void send(int me)
{
    ts_express_port_t port;

    for (unsigned i = 0; i < EACH; i++) {
        port = ts_express_port_by(0, ts_queue_port(shared->name, tag_of(me, i), 0));
        ts_express_store(port, word_of(me, i));
    }
}

static void take(int me, ts_queue_t *queue)
{
    struct taker *mine = &shared->taker[me - aps];
    unsigned next[MOST] = {0};
    ts_queue_message_t message;

    while (!shared->enough) {
        if (!(queue ? ts_queue_poll(queue, &message) : ts_queue_poll_shared(shared->fifo, &message))) {
            uint32_t all = 0;
            for (int i = 0; queue && i < aps; i++) all += shared->taker[i].count;
            if (all == (uint32_t)aps * EACH) shared->enough = 1;
            continue;
        }
        const uint32_t word = message.payload[0];
        const unsigned sender = word >> 24, number = word >> 16 & 255;
        if (sender >= (unsigned)aps || number >= EACH || word != word_of((int)sender, number) || message.tag != tag_of((int)sender, number) || message.from != 0)
            ts_fail("a message %lx with tag %u from process %d, which nobody sent", (unsigned long)word, message.tag, message.from);
        if (number < next[sender]) ts_fail("message %u of process %u behind message %u", number, sender, next[sender] - 1);
        next[sender] = number + 1;
        mine->seen[sender][number]++;
        mine->count++;
    }
}

static void work(void)
{
    const int me = ts_self();
    ts_queue_t queue;
    ts_queue_message_t message;

    if (me == 0)
        for (int i = 1; i < aps; i++) ts_express_share(i, 1);
    if (me == aps) {
        if (!ts_queue_open(&queue, SLOTS) || !ts_queue_resume(&queue)) ts_fail("no queue, or no FIFO for it");
        ts_queue_grant(&queue, 0, 1);
        shared->name = queue.name;
        while (ts_queue_poll(&queue, &message)) { /* the sP hears that nothing is kept, and the FIFO takes what comes */
        }
        for (int i = 1; i < aps; i++) shared->fifo = ts_queue_share(&queue, aps + i, 1);
    }
    ts_barrier(&shared->all, 0);
    if (me < aps) send(me);
    else take(me, me == aps ? &queue : NULL);
    ts_barrier(&shared->all, 0);
    if (me == aps) {
        ts_queue_park(&queue);
        ts_queue_close(&queue);
    }
}

int main(void)
{
    unsigned takers = 0;

    aps = ts_processes() / 2;
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    if (aps > 1) refusals();
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    for (int sender = 0; sender < aps; sender++)
        for (int number = 0; number < EACH; number++) {
            int times = 0;
            for (int i = 0; i < aps; i++) times += shared->taker[i].seen[sender][number];
            if (times != 1) ts_fail("message %d of process %d came %d times", number, sender, times);
        }
    for (int i = 0; i < aps; i++) takers += shared->taker[i].count != 0;
    printf("shared_queue: %d messages of %d senders, each once, to %u takers: correct\n", aps * EACH, aps, takers);
    return 0;
}
