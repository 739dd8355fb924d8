/* Who runs where, memory bounds, time: what the common parts of the runtime ask the aP. */
#include "../common/platform.h"

#include "niu.h"

const char ts_clock_unit[] = "cycles";
const char ts_heap_advice[] = "make the problem smaller or give the sites more memory";

int ts_self(void) { return (int)self(); }
int ts_site(void) { return (int)NIU_SITE_ID; }

int ts_processes(void) { return (int)(NIU_SITES * NIU_APS); }

/* Written by the loader, into every aP, when a site has not the default memory. */
const volatile uint32_t __tt_memory = 16u << 20;

void ts_heap_region(char **base, char **end)
{
    *base = (char *)TS_SHARED_BASE + TS_RUNTIME_SHARED;
    *end = (char *)(TS_DRAM_BASE + __tt_memory - TS_SYSTEM_SIZE);
}

unsigned long ts_clock(void) { return NIU_TIME_LO; }
void ts_mark(uint32_t value) { NIU_MARK = value; }
/* One aP issues its accesses in order and the protocol is sequentially consistent (docs/reference/sources.md). */
void ts_fence(void) { __asm__ volatile("" ::: "memory"); }
void ts_relax(void) { __asm__ volatile("nop; nop; nop; nop" ::: "memory"); }
