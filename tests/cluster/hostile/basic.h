/* The Basic rings of the attacker (fw/site/queues.c), transmit ring first. */
#ifndef BASIC_H
#define BASIC_H
#include "victim.h"

enum { RING_SLOTS = 16, SLOT_WORDS = 32 };

static inline void basic_slot(uint32_t number, uint32_t name, uint32_t bytes)
{
    volatile uint32_t *slot = (volatile uint32_t *)(AP_PRIVATE_BASE + AP_PRIVATE_BYTES - AP_MESSAGE_BYTES) + number % RING_SLOTS * SLOT_WORDS;
    slot[0] = name | bytes << 16;
    slot[1] = number;
}
#endif
