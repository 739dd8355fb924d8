/* Who runs where, memory bounds, time: what the common parts of the runtime ask the aP. */
#include "../common/platform.h"

#include "niu.h"
#include "runtime.h"
#ifdef TS_SOFT
#include "../soft/soft.h"
#endif

const char ts_clock_unit[] = "cycles";
const char ts_heap_advice[] = "make the problem smaller, or MEMORY= gives the sites more memory";

/* Outside what CREATE copies from another aP. */
struct own ts_own __attribute__((section(".own")));

void own_init(void)
{
    ts_own = (struct own){AP_REG(AP_SITES), AP_REG(AP_APS), AP_REG(AP_SITE_ID), AP_REG(AP_AP_ID), (1u << 16) / AP_REG(AP_APS) + 1};
}

int ts_self(void) { return (int)self(); }
int ts_site(void) { return (int)own()->site; }
int ts_processes(void) { return (int)(own()->sites * own()->aps); }

/* Written by the loader, into every aP. What it begins as is for one that does not know it, of a site with the default memory. */
const volatile struct tt_memory __tt_memory = {HEAP_BASE, HEAP_END, AP_PRIVATE_BASE + AP_PRIVATE_BYTES - AP_MESSAGE_BYTES};

void ts_heap_region(char **base, char **end)
{
    *base = globals_shared() ? __shared_end : (char *)__tt_memory.heap + TS_RUNTIME_SHARED;
    *end = (char *)__tt_memory.heap_end;
}

unsigned long ts_clock(void) { return AP_REG(AP_TIME_LO); }
void ts_mark(uint32_t value) { AP_REG(AP_MARK) = value; }
/* One aP issues its accesses in order and the protocol is sequentially consistent (docs/reference/sources.md). */
void ts_fence(void) { __asm__ volatile("" ::: "memory"); }
#ifdef TS_SOFT
void ts_relax(void) { soft_poll(); }
#else
void ts_relax(void) { __asm__ volatile("nop; nop; nop; nop" ::: "memory"); }
#endif
