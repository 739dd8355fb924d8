/** \file The system clock: the NIU's cycle counter, looked at instead of an interrupt. */
#define DT_DRV_COMPAT turnstile_timer
#include "niu_regs.h"
#include <turnstile/timer.h>
#include <zephyr/drivers/timer/system_timer.h>
#include <zephyr/kernel.h>
#include <zephyr/sys_clock.h>

BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(turnstile_timer) == 1 && DT_INST_REG_ADDR(0) == NIU_BASE + NIU_TIME_LO,
             "the devicetree's timer is not where TIME_LO is");

#define LATER (*(volatile uint32_t *)(NIU_BASE + NIU_TIME_HI))

enum { TICK = CONFIG_SYS_CLOCK_HW_CYCLES_PER_SEC / CONFIG_SYS_CLOCK_TICKS_PER_SEC };
/* Ticks to the next look at the latest: well before the counter's low half has gone round. */
enum { MOST = INT32_MAX / TICK / 2 };

/* Of the low half: the last tick that the kernel knows of; when it wants to know more. */
static uint32_t told;
uint32_t turnstile_timer_due = MOST * TICK;

uint32_t sys_clock_elapsed(void) { return (turnstile_timer_now() - told) / TICK; }

void sys_clock_set_timeout(int32_t ticks, bool idle) {
    ARG_UNUSED(idle);
    turnstile_timer_due = told + (sys_clock_elapsed() + CLAMP(ticks == K_TICKS_FOREVER ? MOST : ticks, 1, MOST)) * TICK;
}

void turnstile_timer_announce(void) {
    uint32_t ticks = sys_clock_elapsed();
    told += ticks * TICK;
    turnstile_timer_due = told + MOST * TICK;
    sys_clock_announce(ticks);
}

uint32_t sys_clock_cycle_get_32(void) { return turnstile_timer_now(); }

uint64_t sys_clock_cycle_get_64(void) {
    uint32_t low = turnstile_timer_now(); /* latches the other half */
    return (uint64_t)LATER << 32 | low;
}
