/* Who runs where, memory bounds, time: what the common parts of the runtime ask the aP. */
#include "../common/platform.h"

#include "niu.h"

const char ts_heap_advice[] = "make the problem smaller or give the sites more memory";

int ts_self(void) { return (int)self(); }
int ts_site(void) { return (int)NIU_SITE_ID; }

int ts_processes(void)
{
    uint32_t all = NIU_SITES * NIU_APS;

    return (int)(JOB->processes ? JOB->processes : all);
}

void ts_heap_region(char **base, char **end)
{
    uint32_t memory = JOB->memory_bytes ? JOB->memory_bytes : TS_MEMORY_DEFAULT;

    *base = (char *)TS_SHARED_BASE + TS_RUNTIME_SHARED;
    *end = (char *)(TS_DRAM_BASE + memory - TS_SYSTEM_SIZE);
}

unsigned long ts_clock(void) { return NIU_TIME_LO; }
/* One aP issues its accesses in order and the protocol is sequentially consistent (blizzard §1). */
void ts_fence(void) { __asm__ volatile("" ::: "memory"); }
void ts_relax(void) { __asm__ volatile("nop; nop; nop; nop" ::: "memory"); }
