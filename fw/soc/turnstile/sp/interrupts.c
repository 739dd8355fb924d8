/** \file The core's interrupt lines are tied off: there is nothing to enable. */
#include <zephyr/irq.h>

void arch_irq_enable(unsigned int irq) { ARG_UNUSED(irq); }
void arch_irq_disable(unsigned int irq) { ARG_UNUSED(irq); }
int arch_irq_is_enabled(unsigned int irq) {
    ARG_UNUSED(irq);
    return 0;
}
void __soc_handle_irq(unsigned long cause) { ARG_UNUSED(cause); }
