# Start of an aP, change of stack, trap entry.
#
# The private window begins with one page: this code, the arguments, the boot stack. The program's stack lies above it and
# grows down towards it, so that overflow ends below the window, where no memory answers, and becomes a trap. With user mode (TS_USER) the page
# is machine mode's alone, and overflow ends there.

    .section .boot, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la tp, __tls_base
    la sp, __boot_stack
    la t0, trap_entry
    csrw mtvec, t0
#ifdef __riscv_atomic
    amoor.w zero, zero, 0(sp)       # traps at once where there are none
#endif
#ifdef TS_USER
    csrr zero, pmpcfg0              # traps at once where there is no user mode
#endif
#ifdef __riscv_flen
    fmv.w.x ft0, zero
#endif
#ifdef TS_USER
    call monitor_protect
    la sp, __worker_stack
    la t0, start_bss
    csrw mepc, t0
    li t0, 3 << 11                  # mstatus.MPP: the program's mode is user
    csrc mstatus, t0
    mret
    .section .own, "aw"             # a program may write its arguments
#else
    tail start_bss                  # behind the stack, which may have 32 MB
#endif
    .balign 64
    .globl __tt_args
__tt_args:                          # struct tt_args (turnstile_job.h), written by the loader
    .space 1024

    .text
start_bss:
    la t0, __bss_start
    la t1, __bss_end
    bgeu t0, t1, 2f
1:  andi t2, t0, 31                 # word by word up to 32 bytes, for the rest of .bss is cleared in pieces of that
    beqz t2, 3f
    sw zero, 0(t0)
    addi t0, t0, 4
    bltu t0, t1, 1b
2:  tail start
3:  addi t2, t0, 32
    bltu t1, t2, 4f
    sw zero, 0(t0)
    sw zero, 4(t0)
    sw zero, 8(t0)
    sw zero, 12(t0)
    sw zero, 16(t0)
    sw zero, 20(t0)
    sw zero, 24(t0)
    sw zero, 28(t0)
    mv t0, t2
    j 3b
4:  bgeu t0, t1, 2b
    sw zero, 0(t0)
    addi t0, t0, 4
    j 4b

    .globl jump_on_stack            # (stack, entry)
jump_on_stack:
    mv sp, a0
    mv ra, zero
    jr a1

    .align 2
trap_entry:                         # registers are not kept: a trap is the end of the program
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    mv a3, sp
    la sp, __boot_stack
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    tail trap
