/* Numbered locks and barriers, page placement: service messages to the sPs (BZ-28, contract §8). */
#include <turnstile_service.h>

#include "../common/platform.h"
#include "niu.h"
#ifdef TS_SOFT
#include "../soft/soft.h"
#endif

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

bool ts_page_set(void *page, int process, int block, int mode)
{
    uint32_t index = ((uint32_t)page - __tt_memory.heap) / TS_PAGE, word = TS_PAGE_INDEX(index) | TS_PAGE_MODE(mode);

    if (process >= 0) word |= TS_PAGE_HOME((uint32_t)process / AP_REG(AP_APS));
    if (block) word |= TS_PAGE_BLOCK(__builtin_ctz((unsigned)block));
#ifdef TS_SOFT
    uint32_t status = soft_page_set(index, word);
#else
    express_send(index % AP_REG(AP_SITES) << 3 | NAME_SP_SERVICE, TS_SVC_PAGE_SET, word, PRIO_LOW);
    uint32_t status = express_receive(TS_SVC_PAGE_SET);
#endif
    if (status == 2)
        ts_fail("the sP refused home process %d, block %d, mode %d for page 0x%08lx", process, block, mode, (unsigned long)page);
    return status == 0;
}

/* What a name means to the firmware; all sites have the same image. */
static uint32_t look_up(uint32_t service, const char *name)
{
    express_send(AP_REG(AP_SITE_ID) << 3 | NAME_SP_SERVICE, service, ts_name_hash(name), PRIO_LOW);
    return express_receive(service);
}

int ts_page_mode(const char *name)
{
#ifdef TS_SOFT
    uint32_t mode = (uint32_t)soft_mode(name);
#else
    uint32_t mode = look_up(TS_SVC_MODE, name);
#endif

    if (mode == TS_UNKNOWN) ts_fail("no protocol of this run has a page mode '%s': PROTOCOL= names those that the firmware holds", name);
    return (int)mode;
}

uint32_t ts_call(int process, const char *service, uint32_t word)
{
    static struct { const char *name; uint32_t tag; } known; /* the service called last */

    if (process < -1 || process >= ts_processes())
        ts_fail("a call of %s at process %d: the legal range is 0..%d", service, process, ts_processes() - 1);
    if (known.name != service) {
        known.tag = look_up(TS_SVC_FIND, service);
        known.name = service;
    }
    if (known.tag == TS_UNKNOWN) ts_fail("no protocol of this run has a service '%s': PROTOCOL= names those that the firmware holds", service);
    uint32_t site = process < 0 ? AP_REG(AP_SITE_ID) : (uint32_t)process / AP_REG(AP_APS);
    express_send(site << 3 | NAME_SP_SERVICE, known.tag, word, PRIO_LOW);
    return express_receive(known.tag);
}
