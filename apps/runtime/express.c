/* Express messages of the aP's own queue pair: one store sends, two loads receive. */
#include <turnstile.h>

#include "niu.h"

enum { META_EMPTY = 0, META_MESSAGE = 1 };

void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio)
{
    uint32_t queue = 2 + NIU_AP_ID;

    ts_fence();
    *(volatile uint32_t *)(NIU_EXPRESS_TX | queue << 17 | tag << 12 | name << 3 | prio << 2) = word;
}

uint32_t express_receive(uint32_t tag)
{
    uint32_t page = NIU_EXPRESS_RX + ((2 + NIU_AP_ID) << 12), meta;

    do meta = *(volatile uint32_t *)(page + 4); /* dequeues and latches the data */
    while ((meta & 0xff) != META_MESSAGE);
    if ((meta >> 17 & 0x1f) != tag)
        ts_fail("Express message with tag %lu from name 0x%lx while waiting for tag %lu", (unsigned long)(meta >> 17 & 0x1f),
                (unsigned long)(meta >> 8 & 0x1ff), (unsigned long)tag);
    uint32_t word = *(volatile uint32_t *)page;
    ts_fence();
    return word;
}
