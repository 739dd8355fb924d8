/* Start-up and dispatch loop of the bare image: nothing else runs on the sP. */
#include "niu_regs.h"

    .section .text.start
    .globl _start
_start:
    la sp, __stack_top
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la t0, trap_entry
    csrw mtvec, t0
    la t0, __bss_start
    la t1, __bss_end
1:  sw zero, 0(t0)      /* .bss is a multiple of 32 bytes long */
    sw zero, 4(t0)
    sw zero, 8(t0)
    sw zero, 12(t0)
    sw zero, 16(t0)
    sw zero, 20(t0)
    sw zero, 24(t0)
    sw zero, 28(t0)
    addi t0, t0, 32
    bltu t0, t1, 1b
    call firmware_init
    li s0, NIU_BASE

    la ra, dispatch

/* EV_NEXT waits in hardware and gives the handler's address. A handler returns by `ret`, so ra is `dispatch` again; it keeps
 * s0. Five cycles from event to handler (docs/design/service-processor.md). */
    .balign 16
dispatch:
    lw t0, NIU_EV_NEXT(s0)
    lw a0, NIU_EV_ARG(s0)
    lw a1, NIU_EV_META(s0)
    jr t0

    .balign 4
trap_entry:
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    la sp, __stack_top
    j firmware_trap
