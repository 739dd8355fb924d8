/* Messages between Unix processes: a mailbox a process in shared memory. A message waits for room at its receiver, so nothing is lost. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "../common/message.h"
#include "turnstile_job.h"

enum { EXPRESS = 4096, SLOTS = 16, SLOT = 128, LINES = 2 * TS_LINE_BYTES };

/* A slot in the making, and received: its header, then the payload. */
struct slot {
    int to_or_from;
    unsigned tag, bytes, lines, line;
    unsigned char payload[96];
};
_Static_assert(sizeof(struct slot) <= SLOT, "a slot is as long as on the aP");

static struct mailbox {
    pthread_mutex_t mutex;
    uint32_t came, taken, arrived, released;
    ts_express_t express[EXPRESS];
    unsigned char slots[SLOTS][SLOT], lines[SLOTS][LINES];
} *mailboxes;
static unsigned char making[SLOTS][SLOT], area[TS_TAGON_LINES * TS_LINE_BYTES] __attribute__((aligned(TS_LINE_BYTES)));
static struct port { int to; unsigned tag, priority; } ports[TS_MAX_PROCESSES][32][2];

__attribute__((constructor)) static void prepare_mailboxes(void)
{
    pthread_mutexattr_t shared;

    mailboxes = mmap(NULL, TS_MAX_PROCESSES * sizeof *mailboxes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mailboxes == MAP_FAILED) ts_fail("mmap of the mailboxes failed");
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    for (int i = 0; i < TS_MAX_PROCESSES; i++) pthread_mutex_init(&mailboxes[i].mutex, &shared);
}

/* With the mailbox held, when `used` says that it has room. */
static struct mailbox *enter(int process, uint32_t (*used)(const struct mailbox *), uint32_t most)
{
    struct mailbox *box = &mailboxes[process];

    for (;;) {
        pthread_mutex_lock(&box->mutex);
        if (used(box) < most) return box;
        pthread_mutex_unlock(&box->mutex);
        ts_relax();
    }
}

static uint32_t waiting_words(const struct mailbox *box) { return box->came - box->taken; }
static uint32_t waiting_slots(const struct mailbox *box) { return box->arrived - box->released; }

ts_express_port_t ts_express_port(int to, unsigned tag, unsigned priority)
{
    check_express(to, tag, priority, ts_processes());
    struct port *port = &ports[to][tag][priority];
    *port = (struct port){to, tag, priority};
    return (ts_express_port_t)port;
}

void ts_express_store(ts_express_port_t where, uint32_t word)
{
    const struct port *port = (const struct port *)where;
    struct mailbox *box = enter(port->to, waiting_words, EXPRESS);

    box->express[box->came++ % EXPRESS] = (ts_express_t){word, ts_self(), port->tag, port->priority};
    pthread_mutex_unlock(&box->mutex);
}

int ts_express_poll(ts_express_t *message)
{
    struct mailbox *box = &mailboxes[ts_self()];

    pthread_mutex_lock(&box->mutex);
    int there = box->came != box->taken;
    if (there) *message = box->express[box->taken++ % EXPRESS];
    pthread_mutex_unlock(&box->mutex);
    if (!there) ts_relax();
    return there;
}

void ts_basic_open(ts_basic_t *queue)
{
    struct mailbox *box = &mailboxes[ts_self()];

    *queue = (ts_basic_t){.transmit = making[0], .receive = box->slots[0], .lines = box->lines[0], .tagon = area, .slots = SLOTS, .receive_slots = SLOTS,
                          .arrived = box->released, .taken = box->released, .released = box->released};
}

unsigned ts_basic_room(ts_basic_t *queue) { return queue->slots - (queue->made - queue->launched); }

static void *make(ts_basic_t *queue, int to, unsigned tag, unsigned bytes, unsigned line, unsigned lines)
{
    check_basic(to, tag, bytes, ts_processes());
    if (ts_basic_room(queue) == 0) ts_basic_launch(queue);
    struct slot *slot = (struct slot *)making[queue->made++ % SLOTS];
    *slot = (struct slot){.to_or_from = to, .tag = tag, .bytes = bytes, .lines = lines, .line = line};
    return slot->payload;
}

void *ts_basic_make(ts_basic_t *queue, int to, unsigned tag, unsigned bytes) { return make(queue, to, tag, bytes, 0, 0); }

void *ts_tagon_make(ts_basic_t *queue, int to, unsigned tag, unsigned bytes, unsigned line, unsigned lines)
{
    check_tagon(line, lines);
    return make(queue, to, tag, bytes, line, lines);
}

void ts_basic_launch(ts_basic_t *queue)
{
    for (; queue->launched != queue->made; queue->launched++) {
        const struct slot *slot = (const struct slot *)making[queue->launched % SLOTS];
        struct mailbox *box = enter(slot->to_or_from, waiting_slots, SLOTS);
        uint32_t at = box->arrived % SLOTS;
        struct slot *to = (struct slot *)box->slots[at];
        *to = *slot;
        to->to_or_from = ts_self();
        memcpy(box->lines[at], area + slot->line * TS_LINE_BYTES, slot->lines * TS_LINE_BYTES);
        box->arrived++;
        pthread_mutex_unlock(&box->mutex);
    }
    queue->sent = queue->launched;
}

void ts_basic_drain(ts_basic_t *queue) { (void)queue; }

unsigned ts_basic_waiting(ts_basic_t *queue)
{
    struct mailbox *box = &mailboxes[ts_self()];

    pthread_mutex_lock(&box->mutex);
    queue->arrived = box->arrived;
    pthread_mutex_unlock(&box->mutex);
    return queue->arrived - queue->taken;
}

int ts_basic_poll(ts_basic_t *queue, ts_basic_message_t *message)
{
    const struct mailbox *box = &mailboxes[ts_self()];

    if (queue->arrived == queue->taken && ts_basic_waiting(queue) == 0) return 0;
    uint32_t at = queue->taken++ % SLOTS;
    const struct slot *slot = (const struct slot *)box->slots[at];
    *message = (ts_basic_message_t){slot->to_or_from, slot->tag, slot->bytes, slot->payload, slot->lines, box->lines[at]};
    return 1;
}

void ts_basic_release(ts_basic_t *queue)
{
    struct mailbox *box = &mailboxes[ts_self()];

    pthread_mutex_lock(&box->mutex);
    box->released = queue->released = queue->taken;
    pthread_mutex_unlock(&box->mutex);
}

const char *ts_basic_refused(ts_basic_t *queue)
{
    (void)queue;
    return NULL;
}

void ts_onepoll_open(ts_onepoll_t *poll, unsigned number, ts_found_t first, ts_found_t second, ts_basic_t *basic)
{
    check_onepoll(number, first, second, basic);
    *poll = (ts_onepoll_t){NULL, basic, {first, second}};
}

ts_found_t ts_onepoll(ts_onepoll_t *poll, ts_express_t *message)
{
    for (int i = 0; i < 2; i++) {
        if (poll->order[i] == TS_EXPRESS && ts_express_poll(message)) return TS_EXPRESS;
        if (poll->order[i] == TS_BASIC && (ts_basic_waiting(poll->basic) || poll->basic->taken != poll->basic->released)) return TS_BASIC;
    }
    ts_relax();
    return TS_NOTHING;
}
