/*
 * Basic messages (VY-16 to VY-19, VY-28) by the aP's own rings, which lie in its private window: cached stores write a slot, one uncached store
 * of a pointer launches all that were written, and the NIU takes the lines out of the cache, so nothing is flushed here (VY-44).
 */
#include <turnstile_service.h>

#include "../common/message.h"
#include "niu.h"

static volatile uint32_t *pointer(const ts_basic_t *queue, uint32_t offset) { return (volatile uint32_t *)((char *)queue->pointers + offset); }

void ts_basic_open(ts_basic_t *queue)
{
    express_send(own()->site << 3 | NAME_SP_SERVICE, TS_SVC_QUEUE, 0, PRIO_LOW);
    uint32_t place = express_receive(TS_SVC_QUEUE);
    if (place == TS_SVC_REFUSED) ts_fail("the sP has no Basic queue for process %d", ts_self());
    queue->pointers = (volatile uint32_t *)(AP_BASIC_BASE + (8 + NAME_AP + own()->ap) * AP_PAGE_BYTES);
    queue->slots = TS_QUEUE_TX_SLOTS(place);
    queue->receive_slots = TS_QUEUE_RX_SLOTS(place);
    queue->transmit = (unsigned char *)TS_QUEUE_BASE(place);
    queue->receive = queue->transmit + queue->slots * TS_SLOT_BYTES;
    queue->lines = queue->receive + queue->receive_slots * TS_SLOT_BYTES;
    queue->tagon = queue->lines + queue->receive_slots * TS_SLOT_BYTES;
    queue->made = queue->launched = *pointer(queue, AP_BASIC_TX_PRODUCER);
    queue->sent = *pointer(queue, AP_BASIC_TX_SENT);
    queue->arrived = queue->taken = queue->released = *pointer(queue, AP_BASIC_RX_CONSUMER);
    queue->refused = *pointer(queue, AP_BASIC_STATUS);
}

void ts_basic_launch(ts_basic_t *queue)
{
    ap_fence();
    queue->launched = queue->made;
    *pointer(queue, AP_BASIC_TX_PRODUCER) = queue->made;
}

unsigned ts_basic_room(ts_basic_t *queue)
{
    if (queue->made - queue->sent == queue->slots) queue->sent = *pointer(queue, AP_BASIC_TX_SENT);
    return queue->slots - (queue->made - queue->sent);
}

void ts_basic_drain(ts_basic_t *queue)
{
    while (queue->sent != queue->launched) queue->sent = *pointer(queue, AP_BASIC_TX_SENT);
}

void *basic_slot(ts_basic_t *queue, uint32_t name, unsigned tag, unsigned bytes, uint32_t lines_and_offset)
{
    if (ts_basic_room(queue) == 0) {
        if (queue->launched != queue->made) ts_basic_launch(queue);
        while (ts_basic_room(queue) == 0) {
        }
    }
    uint32_t *slot = (uint32_t *)(queue->transmit + (queue->made++ & (queue->slots - 1)) * TS_SLOT_BYTES);
    slot[0] = name | bytes << 16 | (lines_and_offset & 3) << 24 | tag << 26;
    slot[1] = lines_and_offset & ~3u;
    return slot + 2;
}

static void *make(ts_basic_t *queue, int to, unsigned tag, unsigned bytes, uint32_t lines, uint32_t offset)
{
    check_basic(to, tag, bytes, ts_processes());
    return basic_slot(queue, name_of((uint32_t)to), tag, bytes, lines | offset);
}

void *ts_basic_make(ts_basic_t *queue, int to, unsigned tag, unsigned bytes) { return make(queue, to, tag, bytes, 0, 0); }

void *ts_tagon_make(ts_basic_t *queue, int to, unsigned tag, unsigned bytes, unsigned line, unsigned lines)
{
    check_tagon(line, lines);
    return make(queue, to, tag, bytes, lines, line * TS_LINE_BYTES);
}

unsigned ts_basic_waiting(ts_basic_t *queue)
{
    queue->arrived = *pointer(queue, AP_BASIC_RX_PRODUCER);
    ap_fence();
    return queue->arrived - queue->taken;
}

int ts_basic_poll(ts_basic_t *queue, ts_basic_message_t *message)
{
    if (queue->arrived == queue->taken && ts_basic_waiting(queue) == 0) return 0;
    uint32_t at = (queue->taken++ & (queue->receive_slots - 1)) * TS_SLOT_BYTES;
    const uint32_t *slot = (const uint32_t *)(queue->receive + at);
    uint32_t head = slot[0];
    message->from = process_of(head & 511);
    message->tag = head >> 26 & 31;
    message->bytes = head >> 16 & 127;
    message->payload = slot + 2;
    message->lines = head >> 24 & 3;
    message->line = queue->lines + at;
    return 1;
}

void ts_basic_release(ts_basic_t *queue)
{
    ap_fence();
    if (queue->released == queue->taken) return;
    queue->released = queue->taken;
    *pointer(queue, AP_BASIC_RX_CONSUMER) = queue->taken;
}

const char *ts_basic_refused(ts_basic_t *queue)
{
    static const char *const causes[8] = {
        "something", "a TX_PRODUCER that goes back or past its ring", "an RX_CONSUMER that goes back or past what has come",
        "a slot with a wrong length, lines or address", "a message to a name that is nobody's", "a received message, lost because the ring stayed full",
    };
    uint32_t status = *pointer(queue, AP_BASIC_STATUS), before = queue->refused;

    queue->refused = status;
    return status == before ? NULL : causes[status >> AP_BASIC_STATUS_CAUSE_SHIFT & AP_BASIC_STATUS_CAUSE_MASK];
}
