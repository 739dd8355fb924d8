/* Express messages of the aP's own queue pair: one store sends, two loads receive. */
#include <turnstile.h>

#include "niu.h"

enum { META_EMPTY = 0, META_MESSAGE = 1 };

void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio)
{
    uint32_t queue = 2 + AP_REG(AP_AP_ID);

    ts_fence();
    *(volatile uint32_t *)(AP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(queue) + EXPRESS_TX_TAG(tag) + EXPRESS_TX_DEST(name) + EXPRESS_TX_PRIO(prio)) = word;
}

uint32_t express_receive(uint32_t tag)
{
    uint32_t page = AP_EXPRESS_RX_BASE + (2 + AP_REG(AP_AP_ID)) * AP_PAGE_BYTES, meta;

    do meta = *(volatile uint32_t *)(page + AP_EXPRESS_RX_META); /* dequeues and latches the data */
    while ((meta >> EXPRESS_META_TYPE_SHIFT & EXPRESS_META_TYPE_MASK) != META_MESSAGE);
    uint32_t got = meta >> EXPRESS_META_TAG_SHIFT & EXPRESS_META_TAG_MASK;
    if (got != tag)
        ts_fail("Express message with tag %lu from name 0x%lx while waiting for tag %lu", (unsigned long)got,
                (unsigned long)(meta >> EXPRESS_META_SOURCE_SHIFT & EXPRESS_META_SOURCE_MASK), (unsigned long)tag);
    uint32_t word = *(volatile uint32_t *)(page + AP_EXPRESS_RX_DATA);
    ts_fence();
    return word;
}
