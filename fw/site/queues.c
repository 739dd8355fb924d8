/** \file
 * Each aP's Basic queue (VY-16, VY-28) lies at the end of its own private window, which no other aP reaches: transmit ring, receive ring, the
 * lines that came with each received slot, and 64 KB from which the aP attaches lines. A group of OnePoll has queues of one aP alone (VY-31). aPs
 * share Express queues (VY-27): others send by an aP's own, and take from a FIFO that holds one of its named queues.
 */
#include "queues.h"
#include "named.h"
#include "services.h"
#include "tempest.h"

/* A sender is held when a quarter of the receive ring is unread; the rest takes what is on its way (docs/design/hostile.md). */
enum { TX_LOG2 = 4, TX_RING = 128 << TX_LOG2, RX_LOG2 = 7, RX_RING = 128 << RX_LOG2, TAGON = 64 << 10, FIRST_AP = 2, GROUPS_OF_AP = 4, MEMBERS = 0x0FFFFFFF, NUMBER_AT = 28 };
_Static_assert(TX_RING + 2 * RX_RING + TAGON <= AP_MESSAGE_BYTES, "the rings and areas of an aP lie in the last part of its window");

static uint32_t private_bytes; /* of an aP's window */

void queues_init(uint32_t window_bytes) {
    private_bytes = window_bytes;
    for (uint32_t ap = 0; ap < TT.aps; ap++) {
        uint32_t base = MEMORY_BASE + (ap + 1) * private_bytes - AP_MESSAGE_BYTES, q = FIRST_AP + ap;
        NIU_REG(NIU_BASIC_TX_BASE(q)) = base;
        NIU_REG(NIU_BASIC_TX_SIZE(q)) = TX_LOG2;
        NIU_REG(NIU_BASIC_RX_BASE(q)) = base + TX_RING;
        NIU_REG(NIU_BASIC_RX_SIZE(q)) = RX_LOG2;
        NIU_REG(NIU_BASIC_RX_TAGON(q)) = base + TX_RING + RX_RING;
        NIU_REG(NIU_BASIC_TX_TAGON(q)) = base + TX_RING + 2 * RX_RING;
    }
}

/* Of `word`: 1 at [8], queue, aP that uses it, 1: it may. The owner keeps what is his. */
static uint32_t share(uint32_t source, uint32_t word) {
    uint32_t by = (source & 7) - FIRST_AP, queue = word & 7, ap = word >> 3 & 3, own = queue == FIRST_AP + by;
    if (word >> 6 != 4 || source >> 3 != TT.site || by >= TT.aps || ap >= TT.aps || ap == by || !(own || named_fifos(by) >> queue & 1))
        return SERVICE_REFUSED;
    uint32_t bit = own ? NIU_QUEUE_OWNERS_SENDERS(1u << ap) : NIU_QUEUE_OWNERS_APS(1u << ap), now = NIU_REG(NIU_QUEUE_OWNERS(queue));
    NIU_REG(NIU_QUEUE_OWNERS(queue)) = word >> 5 & 1 ? now | bit : now & ~bit;
    return queue;
}

void service_queue(uint32_t word, uint32_t meta) {
    tt_answer(meta, word ? share(meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK, word)
                         : AP_PRIVATE_BASE + private_bytes - AP_MESSAGE_BYTES + (RX_LOG2 << 4 | TX_LOG2));
}

/* What is not resident has no number of four bits; what is the sP's or another's is refused. */
void service_one_poll(uint32_t word, uint32_t meta) {
    uint32_t source = meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK, ap = (source & 7) - FIRST_AP;
    uint32_t number = word >> NUMBER_AT, group = GROUPS_OF_AP * ap + number;
    int legal = source >> 3 == TT.site && ap < TT.aps && number < GROUPS_OF_AP;
    for (uint32_t left = word & MEMBERS; legal && left; left >>= 4)
        legal = (left & 15) == 0 || (NIU_REG(NIU_QUEUE_OWNERS(left & 15)) >> ap & 1);
    if (legal) {
        NIU_REG(NIU_ONEPOLL_FIRST) = word & MEMBERS;
        NIU_REG(NIU_ONEPOLL_MORE) = 0;
        NIU_REG(NIU_ONEPOLL_GROUP) = NIU_ONEPOLL_GROUP_NUMBER(group) | NIU_ONEPOLL_GROUP_APS(1u << ap);
    }
    tt_answer(meta, legal ? group : SERVICE_REFUSED);
}
