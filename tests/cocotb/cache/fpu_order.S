/* Program order of the FPU's loads and stores among others, traps beside them, the state (test_fpu.py). What is wrong is told by a store to
 * 0x10000000 + 4 * its number; 0xFFFFFF ends. */
    .section .text
    .globl _start
    .macro is number, register, wanted
    li t5, \wanted
    li t6, \number
    beq \register, t5, 1f
    call tell
1:
    .endm
    .macro trapped number, cause        # one more, of this cause
    li t6, \number
    addi s9, s9, 1
    bne s10, s9, 2f
    li t5, \cause
    beq s8, t5, 1f
2:  call tell
1:
    .endm
_start:
    la t0, trap
    csrw mtvec, t0
    li s7, 0x10000000
    li s9, 0                    # traps that were to be
    li s10, 0                   # traps
    li s11, 4                   # bytes a trap skips
    la s0, data
    la s1, behind
    fld fs0, 0(s0)              # 2.0
    fld fs1, 8(s0)              # 3.0
    fld fs2, 16(s0)             # 1 / 3
    li s6, 12                   # once each with cold and with warm caches, and in step with nothing
again:
    /* a store behind what takes long, loads behind the store */
    sw zero, 0(s1)
    sw zero, 4(s1)
    fdiv.d fa0, fs0, fs1
    fsd fa0, 0(s1)
    lw a0, 0(s1)
    lw a1, 4(s1)
    is 1, a0, 0x55555555
    is 2, a1, 0x3FE55555
    fmul.d fa1, fs0, fs1
    fsd fa1, 8(s1)
    fld fa2, 8(s1)
    feq.d a0, fa1, fa2
    is 3, a0, 1
    fsw fs0, 8(s1)              # a double: its lower word
    lw a1, 8(s1)
    lw a2, 12(s1)
    is 4, a1, 0
    is 5, a2, 0x40180000
    fsd fs1, 16(s1)
    sw s6, 16(s1)
    lw a1, 16(s1)
    sub a1, a1, s6
    is 6, a1, 0
    sw s6, 20(s1)
    fsd fs1, 16(s1)
    lhu a1, 22(s1)
    is 7, a1, 0x4008
    lbu a1, 23(s1)
    is 8, a1, 0x40
    /* answers of loads while write-back waits for the FPU */
    fdiv.d fa0, fs0, fs1
    feq.d a0, fa0, fs2
    lw a1, 12(s0)
    addi a1, a1, 1
    is 9, a0, 0
    is 10, a1, 0x40080001
    fsqrt.d fa0, fs0
    flt.d a0, fa0, fs0
    fld fa3, 8(s0)
    feq.d a1, fa3, fs1
    is 11, a0, 1
    is 12, a1, 1
    fsqrt.d fa0, fs0
    flt.d a0, fa0, fs0
    lw a1, 0(s7)                # unanswered
    trapped 13, 5
    is 14, a0, 1
    fsqrt.d fa0, fs0
    flt.d a0, fa0, fs0
    fld fa3, 2(s0)
    trapped 15, 4
    fsqrt.d fa0, fs0
    fle.d a0, fs0, fa0
    fsd fa3, 2(s1)
    trapped 16, 6
    is 17, a0, 0
    /* a trap undoes what is behind it, and nothing in front */
    li s11, 12
    sw zero, 24(s1)
    sw zero, 28(s1)
    fsd fs1, 32(s1)
    lw a1, 0(s7)
    fsd fs0, 24(s1)
    fadd.d fs1, fs1, fs0
    trapped 18, 5
    lw a1, 28(s1)
    is 19, a1, 0
    lw a1, 36(s1)
    is 20, a1, 0x40080000
    feq.d a0, fs1, fa2          # fa2 is 6, fs1 still 3
    is 21, a0, 0
    div a3, s7, s6
    lw a1, 2(s0)
    fsd fs0, 24(s1)
    fmul.d fs1, fs1, fs0
    trapped 22, 4
    lw a1, 28(s1)
    is 23, a1, 0
    fld fa4, 8(s0)
    feq.d a0, fs1, fa4
    is 24, a0, 1
    li s11, 4
    fld fa3, 0(s7)
    trapped 25, 5
    flw fa3, 0(s7)
    trapped 26, 5
    flw fa3, 1(s0)
    trapped 27, 4
    fsw fa3, 3(s1)
    trapped 28, 6
    /* 8 bytes aligned to 4, also in two lines */
    fsd fs1, 60(s1)
    fld fa3, 60(s1)
    feq.d a0, fa3, fs1
    is 29, a0, 1
    lw a0, 64(s1)
    is 30, a0, 0x40080000
    /* branches over instructions of the FPU, either way */
    li a0, 20
    fcvt.d.w fa0, zero
    fld fa1, 24(s0)             # 1.0
3:  andi a1, a0, 3
    beqz a1, 4f
    fadd.d fa0, fa0, fa1
4:  fmv.d fa2, fa0
    addi a0, a0, -1
    bnez a0, 3b
    fcvt.w.d a0, fa0
    is 31, a0, 15
    /* rounding by frm; flags; a reserved rounding stops nothing */
    csrwi frm, 3
    fcvt.w.d a0, fs2
    is 32, a0, 1
    csrwi frm, 2
    fcvt.w.d a0, fs2
    is 33, a0, 0
    csrr a0, fcsr
    is 34, a0, 0x41
    fsflags zero
    frflags a0
    is 35, a0, 0
    csrwi frm, 5
    fadd.d fa0, fs0, fs1
    csrwi frm, 0
    fsrm zero
    .insn r 0x53, 6, 1, a0, s0, s1      # fadd.d fa0, fs0, fs1 with rm 6
    fsflags zero
    csrr a0, misa
    slli a0, a0, 6
    srli a0, a0, 6
#ifdef __riscv_atomic
    is 36, a0, 0x1129
    fsd fs1, 40(s1)
    addi a1, s1, 44
    li a2, 1
    amoadd.w a0, a2, (a1)
    is 37, a0, 0x40080000
    flw fa0, 44(s1)
    fmv.x.w a0, fa0
    is 38, a0, 0x40080001
#else
    is 36, a0, 0x1128
#endif
    la a0, far                  # another line of the set: what follows misses
    lw a1, 0(a0)
    fsd fs2, 0(s1)
    lw a1, 4(a0)
    lw a1, 4(s1)
    is 39, a1, 0x3FD55555
    addi s6, s6, -1
    beqz s6, 5f
    j again
5:  li t6, 0xFFFFFF
    call tell
6:  j 6b
tell:
    slli t6, t6, 2
    add t6, t6, s7
    sw zero, 0(t6)
    ret
    .balign 4
trap:
    csrr s8, mcause
    addi s10, s10, 1
    csrr t6, mepc
    add t6, t6, s11
    csrw mepc, t6
    mret
    .balign 64
data: .double 2, 3, 0.3333333333333333, 1
    .balign 64
behind: .space 8192
far: .space 64
