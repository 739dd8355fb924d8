/*
 * What the simulator and the program of a conducted run agree on (sim/conductor.h, sim/conducted.c). Plain C, no types but
 * <stdint.h>: both include it.
 */
#ifndef TURNSTILE_CONDUCTED_H
#define TURNSTILE_CONDUCTED_H

#include <stdint.h>

/* What an aP is told to do. */
#define TS_CONDUCT_LOAD 1
#define TS_CONDUCT_STORE 2
#define TS_CONDUCT_EVICT 3 /* its data cache gives up the line of the address */
#define TS_CONDUCT_CALL 4  /* calls the service of the program's last argument at the page's home, then marks ANSWERED */
#define TS_CONDUCT_END 5

/* MARK of an aP that waits for its first order. Process 0's mark before is the address of the page. */
#define TS_CONDUCT_READY 3
#define TS_CONDUCT_ANSWERED 4

/* At symbol `__tt_order` of each private window; the simulator writes the rest, then `number`, each time another. */
struct tt_order {
    uint32_t number, what, address, value;
};

#endif
