/** \file Events as dispatch takes them, written down for the shell. Nothing is spent on it while nobody asks. */
#ifndef TRACE_H
#define TRACE_H
#include <stdbool.h>
#include <stdint.h>

enum { TRACE_EVENTS = 32 };

struct trace_event {
    uint32_t cycle, handler, a, meta, took;
};
extern struct trace_event trace_events[TRACE_EVENTS];

/** Writes down the next `n` events, beginning when dispatch finds none. */
void trace_begin(uint32_t n);
extern uint32_t trace_wanted;
static inline bool trace_goes_on(void) { return trace_wanted != 0; }
/** No more are; returns how many were. */
uint32_t trace_end(void);
/** While events are to be written down takes one, or none after 256 cycles, in the place of dispatch; returns whether it did. */
bool trace_next(void);
#endif
