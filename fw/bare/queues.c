/** \file
 * Each aP's Basic queue (VY-16, VY-28) lies at the end of its own private window, which no other aP reaches: transmit ring, receive ring, the
 * lines that came with each received slot, and 64 KB from which the aP attaches lines.
 */
#include "queues.h"
#include "services.h"
#include "tempest.h"

enum { RING_LOG2 = 4, RING = 128 << RING_LOG2, TAGON = 64 << 10, FIRST_AP = 2 };
_Static_assert(3 * RING + TAGON <= AP_MESSAGE_BYTES, "the rings and areas of an aP lie in the last part of its window");

void queues_init(void) {
    for (uint32_t ap = 0; ap < TT.aps; ap++) {
        uint32_t base = MEMORY_BASE + (ap + 1) * AP_PRIVATE_BYTES - AP_MESSAGE_BYTES, q = FIRST_AP + ap;
        NIU_REG(NIU_BASIC_TX_BASE(q)) = base;
        NIU_REG(NIU_BASIC_TX_SIZE(q)) = RING_LOG2;
        NIU_REG(NIU_BASIC_RX_BASE(q)) = base + RING;
        NIU_REG(NIU_BASIC_RX_SIZE(q)) = RING_LOG2;
        NIU_REG(NIU_BASIC_RX_TAGON(q)) = base + 2 * RING;
        NIU_REG(NIU_BASIC_TX_TAGON(q)) = base + 3 * RING;
    }
}

void service_queue(uint32_t word, uint32_t meta) {
    tt_answer(meta, word ? SERVICE_REFUSED : AP_PRIVATE_BASE + AP_PRIVATE_BYTES - AP_MESSAGE_BYTES + RING_LOG2);
}
