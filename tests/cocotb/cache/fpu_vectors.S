/* Runs a table of vectors (test_fpu.py): word routine, word a1, doublewords fa1, fa2, fa3, result, word fflags, word 1: the result is in a0.
 * A wrong one is told by stores to 0x10000000 + 4 * each of: index, the four halfwords of what was left, fflags. 0xFFFFFF ends. */
    .section .text
    .globl _start
_start:
    la s0, table
    la s1, table_end
    li s2, 0                    # index
    li sp, 0x40180000
    la s5, got
    fld fa0, 0(s5)              # after power on a register may hold what no double is
next:
    lw s3, 0(s0)
    lw a1, 4(s0)
    fld fa1, 8(s0)
    fld fa2, 16(s0)
    fld fa3, 24(s0)
    fsflags zero
    jalr s3
    frflags s4
    lw t2, 44(s0)
    fsd fa0, 0(s5)
    fld ft1, 0(s5)              # what the register holds is what is stored: no bit beyond the precision
    feq.d t0, ft1, ft1          # not a NaN, nor a float
    feq.d t1, ft1, fa0
    bne t0, t1, wrong
    feq.s t0, ft1, ft1
    feq.s t1, ft1, fa0
    bne t0, t1, wrong
    beqz t2, 1f
    sw a0, 0(s5)
    sw zero, 4(s5)
1:  lw t0, 0(s5)
    lw t1, 4(s5)
    lw t2, 32(s0)
    lw t3, 36(s0)
    lw t4, 40(s0)
    bne t0, t2, wrong
    bne t1, t3, wrong
    bne s4, t4, wrong
again:
    addi s2, s2, 1
    addi s0, s0, 48
    bne s0, s1, next
    li a0, 0xFFFFFF
    call tell
2:  j 2b
wrong:
    mv a0, s2
    call tell
    mv t3, s5
    addi t4, s5, 8
3:  lhu a0, 0(t3)
    call tell
    addi t3, t3, 2
    bne t3, t4, 3b
    mv a0, s4
    call tell
    j again
tell:
    li t5, 0x10000000
    slli a0, a0, 2
    add t5, t5, a0
    sw a0, 0(t5)
    ret
    .balign 64
got: .dword 0
