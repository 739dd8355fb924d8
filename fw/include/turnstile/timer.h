/** \file The system clock of an sP, which has no interrupt (binding turnstile,timer). */
#ifndef TURNSTILE_TIMER_H
#define TURNSTILE_TIMER_H
#include "niu_regs.h"
#include <stdbool.h>
#include <stdint.h>

/** Low half of the cycle at which the kernel wants to hear of the time. */
extern uint32_t turnstile_timer_due;

static inline uint32_t turnstile_timer_now(void) { return *(volatile uint32_t *)(NIU_BASE + NIU_TIME_LO); }
static inline bool turnstile_timer_is_due(void) { return (int32_t)(turnstile_timer_now() - turnstile_timer_due) >= 0; }
/** Tells the kernel how many ticks went by: threads may be ready then. */
void turnstile_timer_announce(void);
#endif
