/*
 * Machine mode of an aP with user mode (USERMODE=1; docs/design/user-mode.md): what the program may reach, set before its first instruction, and
 * which rule a trap broke. Nothing here believes what the program can write: it runs on the stack of the start page, from code and constants that
 * no program writes, and asks the NIU who it is.
 */
#ifdef TS_USER
#include "monitor.h"
#include "niu.h"
#include "runtime.h"

enum { READ = 1, WRITE = 2, EXECUTE = 4, NAPOT = 3 << 3 };
enum { REGIONS = 6, WINDOWS_BYTES = 0x800000 };
_Static_assert(AP_ONEPOLL_BASE + AP_ONEPOLL_BYTES <= AP_BASE + WINDOWS_BYTES, "a window is not among those that programs reach");

/* @p base and @p bytes: a power of two from 4096 on, aligned to itself. */
struct region {
    uint32_t base, bytes;
    unsigned rights;
    const char *name;
};

/* The first that has an address rules; what is in none is forbidden. */
static void regions(struct region *r)
{
    uint32_t shared = __tt_memory.heap_end - __tt_memory.heap, heap = 1;

    while (heap <= shared) heap <<= 1; /* with the system's part, which is at most half */
    r[0] = (struct region){AP_PRIVATE_BASE, TS_PAGE, 0, "the monitor's page"};
    r[1] = (struct region){(uint32_t)__code_start, (uint32_t)__code_bytes, READ | EXECUTE, "code and constants"};
    r[2] = (struct region){AP_PRIVATE_BASE, __tt_memory.private_end + AP_MESSAGE_BYTES - AP_PRIVATE_BASE, READ | WRITE, "private memory"};
    r[3] = (struct region){__tt_memory.heap_end, heap - shared, 0, "the firmware's memory"};
    r[4] = (struct region){__tt_memory.heap, heap, READ | WRITE, "the shared heap"};
    r[5] = (struct region){AP_BASE, WINDOWS_BYTES, READ | WRITE, "windows of the NIU"};
}

#define SET(n) __asm__ volatile("csrw pmpaddr" #n ", %0" : : "r"(r[n].base >> 2 | (r[n].bytes / 8 - 1)))

void monitor_protect(void)
{
    struct region r[REGIONS];

    regions(r);
    SET(0);
    SET(1);
    SET(2);
    SET(3);
    SET(4);
    SET(5);
#define CFG(n) ((r[n].rights | NAPOT) << 8 * (n % 4))
    __asm__ volatile("csrw pmpcfg0, %0" : : "r"(CFG(0) | CFG(1) | CFG(2) | CFG(3)));
    __asm__ volatile("csrw pmpcfg1, %0" : : "r"(CFG(4) | CFG(5)));
}

uint32_t monitor_process(void) { return AP_REG(AP_SITE_ID) * AP_REG(AP_APS) + AP_REG(AP_AP_ID); }

static const char *may(unsigned rights)
{
    switch (rights) {
    case READ | EXECUTE: return ", which is read and executed";
    case READ | WRITE: return ", which is read and written";
    default: return ", closed to programs";
    }
}

void monitor_rule(uint32_t cause, uint32_t address, void (*text)(const char *))
{
    struct region r[REGIONS];
    unsigned needs = cause == CAUSE_FETCH ? EXECUTE : cause == CAUSE_LOAD ? READ : WRITE;

    if (cause == CAUSE_CALL) text("rule: there are no environment calls: a program stores to its windows\n");
    if (cause == CAUSE_ILLEGAL) text("rule: no instruction of machine mode, and none that this aP does not have\n");
    if (cause != CAUSE_FETCH && cause != CAUSE_LOAD && cause != CAUSE_STORE) return;
    text("rule: the address is in ");
    regions(r);
    for (int i = 0; i < REGIONS; i++) {
        if (address - r[i].base >= r[i].bytes) continue;
        text(r[i].name);
        text(may(r[i].rights));
        text(r[i].rights & needs ? ": nothing answers there, or what was not granted\n" : "\n");
        return;
    }
    text("nothing that a program has\n");
}
#endif
