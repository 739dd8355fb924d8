/** \file The dispatch loop again, in C, with a record of each event. */
#include "trace.h"
#include "niu_regs.h"
#include "protocol.h"

#define REG(offset) (*(volatile uint32_t *)(NIU_BASE + (offset)))

struct trace_event trace_events[TRACE_EVENTS];
static uint32_t wanted, written;

void trace_begin(uint32_t n) {
    written = 0;
    wanted = n;
}

bool trace_goes_on(void) { return wanted != 0; }

uint32_t trace_end(void) {
    wanted = 0;
    return written;
}

bool trace_next(void) {
    if (!wanted)
        return false;
    uint32_t handler = REG(NIU_EV_NEXT), a = REG(NIU_EV_ARG), meta = REG(NIU_EV_META), cycle = REG(NIU_TIME_LO);
    if (handler != REG(NIU_HANDLER(EVENT_IDLE))) {
        ((tt_handler *)handler)(a, meta);
        trace_events[written++] = (struct trace_event){cycle, handler, a, meta, REG(NIU_TIME_LO) - cycle};
        if (written == wanted)
            wanted = 0;
    }
    return true;
}
