/** \file
 * Each aP's Basic queue (VY-16, VY-28) lies at the end of its own private window, which no other aP reaches: transmit ring, receive ring, the
 * lines that came with each received slot, and 64 KB from which the aP attaches lines.
 */
#include "queues.h"
#include "services.h"
#include "tempest.h"

/* A sender is held when a quarter of the receive ring is unread; the rest takes what is on its way (docs/design/hostile.md). */
enum { TX_LOG2 = 4, TX_RING = 128 << TX_LOG2, RX_LOG2 = 7, RX_RING = 128 << RX_LOG2, TAGON = 64 << 10, FIRST_AP = 2 };
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

void service_queue(uint32_t word, uint32_t meta) {
    tt_answer(meta, word ? SERVICE_REFUSED : AP_PRIVATE_BASE + private_bytes - AP_MESSAGE_BYTES + (RX_LOG2 << 4 | TX_LOG2));
}
