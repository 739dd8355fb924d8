/* Numbered locks and barriers, page placement: service messages to the sPs (BZ-28, contract §8). */
#include <turnstile_service.h>

#include "../common/platform.h"
#include "niu.h"

uint32_t ts_number_locks(void) { return TS_SVC_LOCKS * AP_REG(AP_SITES); }

void ts_number_lock(uint32_t number)
{
    express_send(number % AP_REG(AP_SITES) << 3 | NAME_SP_SERVICE, TS_SVC_LOCK, number, PRIO_LOW);
    if (express_receive(TS_SVC_LOCK) != number) ts_fail("the sP refused lock %lu", (unsigned long)number);
}

void ts_number_unlock(uint32_t number)
{
    express_send(number % AP_REG(AP_SITES) << 3 | NAME_SP_SERVICE, TS_SVC_UNLOCK, number, PRIO_LOW);
}

void ts_number_barrier(uint32_t number, uint32_t processes)
{
    express_send(NAME_SP_SERVICE, TS_SVC_BARRIER, TS_BARRIER_WORD(number, processes), PRIO_LOW);
    if (express_receive(TS_SVC_BARRIER) != number)
        ts_fail("the sP refused barrier %lu of %lu processes", (unsigned long)number, (unsigned long)processes);
}

void ts_page_set(void *page, int process, int block)
{
    uint32_t index = ((uint32_t)page - HEAP_BASE) / TS_PAGE, word = index;

    if (process >= 0) word |= TS_PAGE_HOME((uint32_t)process / AP_REG(AP_APS));
    if (block) word |= TS_PAGE_BLOCK(__builtin_ctz((unsigned)block));
    express_send(index % AP_REG(AP_SITES) << 3 | NAME_SP_SERVICE, TS_SVC_PAGE_SET, word, PRIO_LOW);
    if (express_receive(TS_SVC_PAGE_SET) == 2)
        ts_fail("the sP refused home process %d, block %d for page 0x%08lx", process, block, (unsigned long)page);
    /* 1, already touched, is possible for memory that was freed before: then the wish comes too late, harmlessly. */
}
