/* What trap.c asks machine mode's part of the runtime (monitor.c). */
#ifndef TS_MONITOR_H
#define TS_MONITOR_H

#include <stdint.h>

/* mcause. */
enum { CAUSE_FETCH = 1, CAUSE_ILLEGAL = 2, CAUSE_LOAD = 5, CAUSE_STORE = 7, CAUSE_CALL = 8 };

/* Before the first instruction in user mode. */
void monitor_protect(void);
/* The process on this aP, of the NIU's registers. */
uint32_t monitor_process(void);
/* Says which rule a trap broke. */
void monitor_rule(uint32_t cause, uint32_t address, void (*text)(const char *));

#endif
