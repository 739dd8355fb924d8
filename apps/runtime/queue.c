/*
 * Receive queues beside the process' own (VY-33, VY-34, VY-38, VY-39). The sP writes what it keeps into a ring in the process' memory. In what order
 * the places are looked at keeps the order of messages: what was in the FIFO when it was taken away, the FIFO, the ring (docs/design/names.md).
 */
#include <malloc.h>
#include <turnstile_queue.h>
#include <turnstile_service.h>

#include "../common/message.h"
#include "niu.h"

enum { PAGE = AP_PAGE_BYTES, FIFOS = 8, CAME = 0, HELD = 2, LOST = 3, READ = 16, WORDS = TS_SLOT_BYTES / 4, PAUSE = 2000 /* cycles until the sP is asked again: a move takes a few questions between sites */ };

static uint32_t ask(uint32_t what, uint32_t word)
{
    for (;;) {
        express_send(own()->site << 3 | NAME_SP_SERVICE, TS_SVC_NAMED, TS_NAMED_WORD(what, word), PRIO_LOW);
        uint32_t answer = express_receive(TS_SVC_NAMED);
        if (answer != TS_NAMED_BUSY) return answer;
        for (unsigned long begin = ts_clock(); ts_clock() - begin < PAUSE;) ts_relax();
    }
}

static void check_name(unsigned name)
{
    if (name > 511) ts_fail("a queue with name %u: the legal range is 0..511", name);
}

int ts_queue_open(ts_queue_t *queue, unsigned slots)
{
    unsigned log2 = 0;

    while (1u << log2 < slots) log2++;
    if (slots < TS_QUEUE_LEAST_SLOTS || slots > TS_QUEUE_MOST_SLOTS || 1u << log2 != slots)
        ts_fail("a queue of %u slots: legal are powers of two from %d to %d", slots, TS_QUEUE_LEAST_SLOTS, TS_QUEUE_MOST_SLOTS);
    *queue = (ts_queue_t){.slots = slots, .ring = memalign(PAGE, (slots + 1) * TS_SLOT_BYTES)};
    if (!queue->ring) return 0;
    uint32_t answer = ask(TS_NAMED_OPEN, ((uint32_t)queue->ring - AP_PRIVATE_BASE) / PAGE | log2 << 16);
    if (answer == TS_SVC_REFUSED) {
        free((void *)queue->ring);
        return 0;
    }
    queue->name = answer & 511;
    queue->number = answer >> 16;
    queue->place = own()->site << 5 | own()->ap << 3 | queue->number;
    return 1;
}

void ts_queue_close(ts_queue_t *queue)
{
    if (ask(TS_NAMED_CLOSE, queue->number) == TS_SVC_REFUSED) ts_fail("the queue with name %u is not to be closed: park it before", queue->name);
    free((void *)queue->ring);
}

void ts_queue_grant(ts_queue_t *queue, int from, int allowed)
{
    if ((unsigned)from >= (unsigned)ts_processes()) ts_fail("a queue for process %d: the legal range is 0..%d", from, ts_processes() - 1);
    if (ask(TS_NAMED_GRANT, queue->number | name_of((uint32_t)from) << 3 | (uint32_t)(allowed != 0) << 12) == TS_SVC_REFUSED)
        ts_fail("the sP has no queue with name %u", queue->name);
}

static volatile uint32_t *page_of(unsigned fifo) { return (volatile uint32_t *)(AP_EXPRESS_RX_BASE + fifo * PAGE); }

static int from_fifo(const volatile uint32_t *fifo, uint32_t *meta, uint32_t *word)
{
    for (;;) { /* what an sP put there only fills it */
        *meta = fifo[AP_EXPRESS_RX_META / 4];
        if (!(*meta >> EXPRESS_META_TYPE_SHIFT & EXPRESS_META_TYPE_MASK)) return 0;
        *word = fifo[AP_EXPRESS_RX_DATA / 4];
        if ((*meta >> EXPRESS_META_SOURCE_SHIFT & 7) >= NAME_AP) return 1;
    }
}

/* Senders wait for it, or the FIFO. */
static void tell(ts_queue_t *queue)
{
    express_send(own()->site << 3 | NAME_SP_SERVICE, TS_SVC_NAMED, TS_NAMED_WORD(TS_NAMED_READ, queue->number), PRIO_LOW);
}

int ts_queue_resume(ts_queue_t *queue)
{
    uint32_t meta, word, fifo = ask(TS_NAMED_RESUME, queue->number);

    if (fifo == TS_SVC_REFUSED) return 0;
    queue->fifo = page_of(fifo);
    if (from_fifo(queue->fifo, &meta, &word)) ts_fail("a message in the FIFO of the queue with name %u before it was there", queue->name);
    queue->kept = 1;
    return 1;
}

void ts_queue_park(ts_queue_t *queue)
{
    if (!queue->fifo) return;
    if (ask(TS_NAMED_PARK, queue->number) == TS_SVC_REFUSED) ts_fail("the queue with name %u cannot be parked", queue->name);
    if (queue->parked_came == queue->parked_taken) queue->parked_came = queue->parked_taken = 0;
    while (queue->parked_came < TS_QUEUE_FIFO && from_fifo(queue->fifo, &queue->parked[queue->parked_came][0], &queue->parked[queue->parked_came][1]))
        queue->parked_came++;
    queue->fifo = NULL;
}

static void of_word(ts_queue_message_t *message, uint32_t meta, uint32_t word)
{
    message->from = process_of(meta >> EXPRESS_META_SOURCE_SHIFT & EXPRESS_META_SOURCE_MASK);
    message->tag = meta >> EXPRESS_META_TAG_SHIFT & EXPRESS_META_TAG_MASK;
    message->priority = meta >> EXPRESS_META_PRIO_SHIFT & EXPRESS_META_PRIO_MASK;
    message->basic = 0;
    message->bytes = 4;
    message->payload[0] = word;
    ap_fence();
}

int ts_queue_poll(ts_queue_t *queue, ts_queue_message_t *message)
{
    uint32_t came = queue->ring[CAME], meta, word; /* before the FIFO: what comes into the ring later is later than what is in the FIFO now */

    if (ts_queue_brought(queue)) {
        *message = queue->load->messages[queue->load_taken++];
        return 1;
    }
    if (queue->parked_taken != queue->parked_came) {
        of_word(message, queue->parked[queue->parked_taken][0], queue->parked[queue->parked_taken][1]);
        queue->parked_taken++;
        return 1;
    }
    if (queue->fifo && from_fifo(queue->fifo, &meta, &word)) {
        of_word(message, meta, word);
        return 1;
    }
    const uint32_t waiting = came - queue->taken;
    if (waiting > queue->slots / 4) queue->full = 1;
    if ((queue->full && waiting <= queue->slots / 4 && queue->ring[HELD]) || (queue->kept && !waiting && queue->fifo)) {
        queue->full = queue->kept = 0;
        tell(queue);
    }
    if (!waiting) return 0;
    ap_fence();
    const volatile uint32_t *slot = queue->ring + WORDS + queue->taken % queue->slots * WORDS;
    uint32_t head = slot[0];
    message->from = process_of(head & 511);
    message->tag = head >> 26 & 31;
    message->priority = head >> 23 & 1;
    message->basic = slot[1];
    message->bytes = slot[1] ? head >> 16 & 127 : 4;
    for (unsigned i = 0; i < (message->bytes + 3) / 4; i++) message->payload[i] = slot[2 + i];
    ap_fence();
    queue->ring[READ] = ++queue->taken;
    queue->kept = 1;
    return 1;
}

/* The aP of a process of the caller's site. */
static uint32_t beside(int process)
{
    const int first = (int)(own()->site * own()->aps);

    if (process < first || process >= first + (int)own()->aps)
        ts_fail("a queue shared with process %d: the processes of this site are %d..%d", process, first, first + (int)own()->aps - 1);
    return (uint32_t)(process - first);
}

static unsigned share(uint32_t queue, int process, int allowed)
{
    const uint32_t ap = beside(process);

    if (ap == own()->ap) ts_fail("a queue shared with process %d, which has it", process);
    express_send(own()->site << 3 | NAME_SP_SERVICE, TS_SVC_QUEUE, TS_SHARE_WORD(queue, ap, allowed != 0), PRIO_LOW);
    uint32_t answer = express_receive(TS_SVC_QUEUE);
    if (answer == TS_SVC_REFUSED) ts_fail("the sP does not let queue %lu be shared", (unsigned long)queue);
    return answer;
}

void ts_express_share(int process, int allowed) { share(NAME_AP + own()->ap, process, allowed); }

ts_express_port_t ts_express_port_by(int owner, ts_express_port_t port)
{
    const uint32_t all = EXPRESS_TX_QUEUE(EXPRESS_TX_QUEUE_MASK);

    return (ts_express_port_t)(((uintptr_t)port & ~all) | EXPRESS_TX_QUEUE(NAME_AP + beside(owner)));
}

unsigned ts_queue_share(ts_queue_t *queue, int process, int allowed)
{
    if (!queue->fifo) ts_fail("the queue with name %u is to be shared, and has no FIFO: ts_queue_resume gives it one", queue->name);
    return share(((uintptr_t)queue->fifo - AP_EXPRESS_RX_BASE) / PAGE, process, allowed);
}

int ts_queue_poll_shared(unsigned fifo, ts_queue_message_t *message)
{
    uint32_t meta, word;

    if (fifo >= FIFOS) ts_fail("FIFO %u: the legal range is 0..%d", fifo, FIFOS - 1);
    if (!from_fifo(page_of(fifo), &meta, &word)) return 0;
    of_word(message, meta, word);
    return 1;
}

void ts_queue_expect(ts_queue_t *queue, unsigned name)
{
    check_name(name);
    if (ask(TS_NAMED_EXPECT, queue->number | name << 3) == TS_SVC_REFUSED)
        ts_fail("the queue with name %u expects no other, for a process may send to it", queue->name);
}

int ts_queue_move(ts_queue_t *queue, unsigned to, ts_queue_load_t *load)
{
    unsigned n = 0;

    if (to > 2047) ts_fail("a queue at place %u: the legal range is 0..2047", to);
    if (ts_queue_brought(queue))
        ts_fail("the queue with name %u is to move with %u messages unread that came with an earlier move: take them first", queue->name, ts_queue_brought(queue));
    ts_queue_park(queue);
    uint32_t name = ask(TS_NAMED_MOVE, queue->number | to << 3);
    if (name == TS_SVC_REFUSED) return 0;
    while (ts_queue_poll(queue, &load->messages[n])) n++;
    load->count = n;
    ts_fence();
    load->ready = 1;
    queue->name = name;
    return 1;
}

void ts_queue_adopt(ts_queue_t *queue, unsigned name, const ts_queue_load_t *load)
{
    while (!load->ready) ts_relax();
    ts_fence();
    queue->load = load;
    queue->load_taken = 0;
    queue->name = name;
}

unsigned ts_queue_brought(const ts_queue_t *queue) { return queue->load ? queue->load->count - queue->load_taken : 0; }

unsigned ts_queue_lost(const ts_queue_t *queue) { return queue->ring[LOST]; }

ts_express_port_t ts_queue_port(unsigned name, unsigned tag, unsigned priority)
{
    check_express(0, tag, priority, 1);
    check_name(name);
    return (volatile uint32_t *)(AP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(NAME_AP + own()->ap) + EXPRESS_TX_TAG(tag) + EXPRESS_TX_DEST(name) + EXPRESS_TX_PRIO(priority));
}

void *ts_queue_make(ts_basic_t *queue, unsigned name, unsigned tag, unsigned bytes)
{
    check_basic(0, tag, bytes, 1);
    check_name(name);
    return basic_slot(queue, name, tag, bytes, 0);
}
