/* Locks and barriers by service messages to the sPs (BZ-28); turnstile_service.h has the protocol. */
#include <turnstile.h>
#include <turnstile_service.h>

#include "niu.h"

static uint32_t lock_home(uint32_t name)
{
    return TS_LOCK_HOME(name, NIU_SITES) << 3 | NAME_SP_SERVICE;
}

void ts_lock(ts_lock_t *lock)
{
    uint32_t name = (uint32_t)lock;

    express_send(lock_home(name), TS_SVC_LOCK, name, PRIO_LOW);
    express_receive(TS_SVC_LOCK);
}

void ts_unlock(ts_lock_t *lock)
{
    uint32_t name = (uint32_t)lock;

    express_send(lock_home(name), TS_SVC_UNLOCK, name, PRIO_LOW);
}

void ts_barrier_init(ts_barrier_t *barrier, int processes)
{
    barrier->processes = (uint32_t)processes;
}

void ts_barrier(ts_barrier_t *barrier, int processes)
{
    uint32_t count = processes ? (uint32_t)processes : barrier->processes;
    uint32_t address = (uint32_t)barrier;

    if (count < 1 || count > (uint32_t)ts_processes())
        ts_fail("BARRIER of %ld processes: the legal range is 1..%d", (long)count, ts_processes());
    if (address >= TS_DRAM_BASE + (64u << 20))
        ts_fail("barrier at 0x%08lx: barriers must lie in the first 64 MB of memory (allocate them early)",
                (unsigned long)address);
    express_send(NAME_SP_SERVICE, TS_SVC_BARRIER, TS_BARRIER_WORD(address, count), PRIO_LOW);
    express_receive(TS_SVC_BARRIER);
}
