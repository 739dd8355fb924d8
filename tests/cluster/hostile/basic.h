/* The Basic rings of the attacker (fw/bare/main.c): a page of the system area an aP, transmit ring first. */
#ifndef BASIC_H
#define BASIC_H
#include "victim.h"

enum { RING_SLOTS = 16, SLOT_WORDS = 32 };
#define RING_OF(ap) (HEAP_END + (ap)*0x1000u)

static inline void basic_slot(uint32_t number, uint32_t name, uint32_t bytes)
{
    volatile uint32_t *slot = (volatile uint32_t *)RING_OF(1) + number % RING_SLOTS * SLOT_WORDS;
    slot[0] = name | bytes << 16;
    slot[1] = number;
}
#endif
