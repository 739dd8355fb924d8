/** \file
 * The sP's console as a UART. A character goes out by a store, so a transmitter is always ready. What is typed comes through the host
 * port, which writes RAM and raises nothing: into `console_typed`, when that is empty.
 */
#define DT_DRV_COMPAT turnstile_console
#include "niu_regs.h"
#include <turnstile/console.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>

BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(turnstile_console) == 1 && DT_INST_REG_ADDR(0) == NIU_BASE + NIU_CONSOLE,
             "the devicetree's console is not where CONSOLE is");

volatile struct turnstile_typed console_typed;
static uint32_t taken;

static uart_irq_callback_user_data_t callback;
static void *callback_data;
static bool sends;

/* RAM says anything when it is read in the cycle in which the host writes it: so a length counts when it is read twice. */
static uint32_t typed(void) {
    uint32_t length = console_typed.length;
    return length == console_typed.length && length <= TURNSTILE_TYPED_MOST ? length : 0;
}

static int poll_in(const struct device *console, unsigned char *c) {
    ARG_UNUSED(console);
    uint32_t length = typed();
    if (length == 0)
        return -1;
    *c = console_typed.text[taken++];
    if (taken >= length) {
        taken = 0;
        console_typed.length = 0;
    }
    return 0;
}

static void poll_out(const struct device *console, unsigned char c) {
    ARG_UNUSED(console);
    *(volatile uint32_t *)(NIU_BASE + NIU_CONSOLE) = c;
}

#ifdef CONFIG_UART_INTERRUPT_DRIVEN
static const struct device *const self = DEVICE_DT_INST_GET(0);

static int fifo_fill(const struct device *console, const uint8_t *data, int length) {
    for (int i = 0; i < length; i++)
        poll_out(console, data[i]);
    return length;
}

static int fifo_read(const struct device *console, uint8_t *data, const int length) {
    int n = 0;
    while (n < length && poll_in(console, &data[n]) == 0)
        n++;
    return n;
}

/* There is no interrupt to come later: it comes now, until it is wanted no more. */
static void tx_enable(const struct device *console) {
    sends = true;
    while (sends)
        callback(console, callback_data);
}

static void tx_disable(const struct device *console) {
    ARG_UNUSED(console);
    sends = false;
}

static int tx_ready(const struct device *console) {
    ARG_UNUSED(console);
    return sends;
}

static int rx_ready(const struct device *console) {
    ARG_UNUSED(console);
    return typed() != 0;
}

static void rx_switch(const struct device *console) { ARG_UNUSED(console); }

static int update(const struct device *console) {
    ARG_UNUSED(console);
    return 1;
}

static void callback_set(const struct device *console, uart_irq_callback_user_data_t called, void *data) {
    ARG_UNUSED(console);
    callback = called;
    callback_data = data;
}

void turnstile_console_deliver(void) {
    if (callback)
        callback(self, callback_data);
}
#endif

static DEVICE_API(uart, api) = {
    .poll_in = poll_in,
    .poll_out = poll_out,
#ifdef CONFIG_UART_INTERRUPT_DRIVEN
    .fifo_fill = fifo_fill,
    .fifo_read = fifo_read,
    .irq_tx_enable = tx_enable,
    .irq_tx_disable = tx_disable,
    .irq_tx_ready = tx_ready,
    .irq_rx_enable = rx_switch,
    .irq_rx_disable = rx_switch,
    .irq_rx_ready = rx_ready,
    .irq_update = update,
    .irq_callback_set = callback_set,
#endif
};
DEVICE_DT_INST_DEFINE(0, NULL, NULL, NULL, NULL, PRE_KERNEL_1, CONFIG_SERIAL_INIT_PRIORITY, &api);
