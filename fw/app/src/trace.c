/** \file The dispatch loop again, in C, with a record of each event. */
#include "trace.h"
#include "niu_regs.h"
#include "protocol.h"

#define REG(offset) (*(volatile uint32_t *)(NIU_BASE + (offset)))

struct trace_event trace_events[TRACE_EVENTS];
uint32_t trace_wanted;
static uint32_t written;

void trace_begin(uint32_t n) {
    written = 0;
    trace_wanted = n;
}

uint32_t trace_end(void) {
    trace_wanted = 0;
    return written;
}

bool trace_next(void) {
    if (!trace_wanted)
        return false;
    uint32_t handler = REG(NIU_EV_NEXT), a = REG(NIU_EV_ARG), meta = REG(NIU_EV_META), cycle = REG(NIU_TIME_LO);
    if (handler != REG(NIU_HANDLER(EVENT_IDLE))) {
        ((tt_handler *)handler)(a, meta);
        trace_events[written++] = (struct trace_event){cycle, handler, a, meta, REG(NIU_TIME_LO) - cycle};
        if (written == trace_wanted)
            trace_wanted = 0;
    }
    return true;
}
