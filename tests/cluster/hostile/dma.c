/* Descriptors of DMA with random words, at a site without it messages to a name that is nobody's: other memory, no and endless lengths, names of all. */
#include "basic.h"

static uint32_t any(const uint32_t *of, uint32_t count) { return random_word() & 1 ? of[random_word() % count] : random_word(); }

static void attack(uint32_t i)
{
    static const uint32_t addresses[] = {0, AP_PRIVATE_BASE, AP_PRIVATE_BASE + AP_PRIVATE_BYTES - 64, MEMORY_BASE, HEAP_BASE, HEAP_END, AP_EXPRESS_TX_BASE, 0xFFFFFFFF};
    static const uint32_t lengths[] = {0, 1, 64, 200, 4096, 1 << 20, (1 << 20) + 1, 0x80000000};
    static const uint32_t names[] = {AP_NAME(WRITER), AP_NAME(IDLER), AP_NAME(READER), AP_NAME(ATTACKER), 0, 511};
    uint32_t at = BASIC_POINTER(MY_BASIC, AP_BASIC_TX_SENT);
    volatile uint32_t *words = (volatile uint32_t *)(AP_PRIVATE_BASE + AP_PRIVATE_BYTES - AP_MESSAGE_BYTES) + at % RING_SLOTS * SLOT_WORDS + 2;

    if (at != BASIC_POINTER(MY_BASIC, AP_BASIC_TX_PRODUCER)) return;
    basic_slot(at, 1 << 3 | 1, i % 8 ? 32 : random_word() % 89);
    for (int k = 0; k < 8; k++) words[k] = any(addresses, sizeof addresses / sizeof *addresses);
    words[2] = any(lengths, sizeof lengths / sizeof *lengths);
    words[3] = any(names, sizeof names / sizeof *names);
    BASIC_POINTER(MY_BASIC, AP_BASIC_TX_PRODUCER) = at + 1;
}
