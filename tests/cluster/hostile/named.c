/*
 * Queues with names (VY-34, VY-38, VY-39): requests of any kind and about any queue, rings wherever they may lie, counts in them that cannot be, names
 * that nobody granted, FIFOs read while the sP changes their owner; and rows, which only sPs may ask for.
 */
#include "victim.h"

static uint32_t pages[4096] __attribute__((aligned(4096)));
enum { SPARE = 5 /* an Express FIFO of the second of two aPs */ };

static void ask(uint32_t tag, uint32_t word, uint32_t site)
{
    EXPRESS_STORE(MY_QUEUE, tag, SERVICE_NAME(site)) = word;
    read_own();
}

static void attack(uint32_t i)
{
    const uint32_t page = ((uint32_t)pages - AP_PRIVATE_BASE) / AP_PAGE_BYTES, any = random_word();

    switch (i % 8) {
    case 0: ask(TS_SVC_NAMED, any, 1); break;
    case 1: ask(TS_SVC_NAMED, TS_NAMED_WORD(TS_NAMED_OPEN, page | 5 << 16), 1); break;
    case 2: ask(TS_SVC_NAMED, TS_NAMED_WORD(TS_NAMED_OPEN, any & 0xFFFFF), any >> 31); break;
    case 3: ask(TS_SVC_NAMED, TS_NAMED_WORD(any % 8, any >> 3 & 0x1FFF), 1); break;
    case 4: ask(14, any, any >> 31); break;
    case 5: EXPRESS_STORE(MY_QUEUE, any >> 27, any & 511) = any; break;
    case 6: (void)EXPRESS_META_OF(SPARE); break;
    case 7: pages[any % 4096] = any; break;
    }
    read_own();
}
