/* Start-up of the bare image: nothing but dispatch() runs on the sP. */
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
    j dispatch

    .balign 4
trap_entry:
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    la sp, __stack_top
    j firmware_trap
