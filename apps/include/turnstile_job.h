/*
 * What the loader and the aPs' runtime agree on (BZ-39, contract §1 and §8). Plain C, no types but <stdint.h>: the
 * simulator may include it.
 *
 * Every aP starts at AP_PRIVATE_BASE (niu_regs.h), in its own private window. The loader writes the program's segments into the
 * private window of every aP, which else are zeros, then the arguments at symbol `__tt_args` and how memory is divided at symbol `__tt_memory`. Process k runs on aP (k mod aps) of site (k / aps).
 */
#ifndef TURNSTILE_JOB_H
#define TURNSTILE_JOB_H

#include <stdint.h>

#define TS_PAGE 4096u
#define TS_MAX_PROCESSES 256 /* 64 sites of 4 aPs */

struct tt_args {
    uint32_t argc;   /* 0: the loader gave none */
    char text[1020]; /* argc strings with their NULs, the program's name first */
};

struct tt_memory {
    uint32_t heap, heap_end; /* the shared heap */
    uint32_t private_end;    /* of the private window, before the aP's Basic rings */
};

/* Exit statuses the runtime adds to the program's own. */
#define TS_EXIT_FAIL 1 /* the runtime gave up: its message says why */
#define TS_EXIT_TRAP 4 /* an aP trapped: its message has cause, PC, address */

#endif
