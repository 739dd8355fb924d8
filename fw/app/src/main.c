/** \file The sP's firmware as a Zephyr application: the main thread, which is cooperative, dispatches. */
#include "site.h"
#include "tempest.h"
#include "shell.h"
#include "trace.h"
#include <turnstile/niu.h>
#include <turnstile/timer.h>
#include <zephyr/fatal.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

LOG_MODULE_REGISTER(turnstile);

/* Threads that the clock or the console makes ready have their turn. */
static void __noinline give_turns(void) {
    do {
        bool due = turnstile_timer_is_due();
        if (due)
            turnstile_timer_announce();
        if (due || shell_wants_turn()) {
            shell_take();
            k_yield();
        }
    } while (trace_next());
}

/* Without an event for 256 cycles. An event that comes meanwhile waits, so what is usual takes a dozen instructions. */
void image_idle(uint32_t a, uint32_t meta) {
    ARG_UNUSED(a);
    ARG_UNUSED(meta);
    if (turnstile_timer_is_due() || shell_wants_turn() || trace_goes_on())
        give_turns();
}

/* A trap ends the sP in the words of the bare image: the simulator and the watchdog of a board know them. */
void k_sys_fatal_error_handler(unsigned int reason, const struct arch_esf *esf) {
    uint32_t cause, value;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    __asm__ volatile("csrr %0, mtval" : "=r"(value));
    LOG_ERR("kernel error %u", reason);
    firmware_trap(cause, esf ? esf->mepc : 0, value);
}

int main(void) {
    k_yield(); /* the shell gets ready before an aP waits for anything */
    firmware_init();
    LOG_INF("site %u of %u, %u modes, %u bytes of states in RAM", TT.site, TT.sites, TT.mode_count, NIU_POOL_BYTES);
    turnstile_niu_dispatch(DEVICE_DT_GET(DT_NODELABEL(niu)));
    return 0;
}
