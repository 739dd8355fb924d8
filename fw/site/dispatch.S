/* The dispatch loop. EV_NEXT waits in hardware and gives the handler's address. A handler returns by `ret`, so ra is the loop's first
 * instruction again; it keeps s0. Five cycles from event to handler (docs/design/service-processor.md). */
#include "niu_regs.h"

    .section .text.dispatch
    .globl dispatch
dispatch:
    li s0, NIU_BASE
    la ra, 1f
    .balign 16
1:  lw t0, NIU_EV_NEXT(s0)
    lw a0, NIU_EV_ARG(s0)
    lw a1, NIU_EV_META(s0)
    jr t0
