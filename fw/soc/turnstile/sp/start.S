/* From the reset of the sP into the kernel. Zephyr's own start reads mhartid, which this core does not have. */
#include <zephyr/toolchain.h>
#include <zephyr/linker/sections.h>
#include <zephyr/offsets.h>

GTEXT(__start)
GTEXT(_isr_wrapper)
GTEXT(z_prep_c)

SECTION_FUNC(vectors, __start)
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la t0, _isr_wrapper
    csrw mtvec, t0
    la sp, z_interrupt_stacks + CONFIG_ISR_STACK_SIZE
    tail z_prep_c
