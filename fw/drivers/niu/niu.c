/** \file The NIU: where the devicetree puts it is where the register header says. */
#define DT_DRV_COMPAT turnstile_niu
#include "niu_regs.h"
#include "site.h"
#include <turnstile/niu.h>
#include <zephyr/kernel.h>

BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(turnstile_niu) == 1 && DT_INST_REG_ADDR(0) == NIU_BASE && DT_INST_REG_SIZE(0) == NIU_BYTES,
             "the devicetree's niu is not where the registers are");

#define REG(offset) (*(volatile uint32_t *)(NIU_BASE + (offset)))
#define FIELD(name, value) ((value) >> NIU_##name##_SHIFT & NIU_##name##_MASK)

static void niu_dispatch(const struct device *niu) {
    ARG_UNUSED(niu);
    dispatch();
}

static uint32_t tag(const struct device *niu, uint32_t address) {
    ARG_UNUSED(niu);
    REG(NIU_TAGQ) = address;
    return REG(NIU_TAGQ);
}

static void levels(const struct device *niu, struct turnstile_niu_levels *to) {
    ARG_UNUSED(niu);
    uint32_t events = REG(NIU_EV_COUNT), express = REG(NIU_TX_FREE);
    *to = (struct turnstile_niu_levels){
        .events_high = FIELD(EV_COUNT_HIGH, events),
        .events_local = FIELD(EV_COUNT_LOCAL, events),
        .events_low = FIELD(EV_COUNT_LOW, events),
        .low_free = FIELD(TX_FREE_LOW, express),
        .high_free = FIELD(TX_FREE_HIGH, express),
        .slots_free = REG(NIU_FREE_SLOTS),
        .held = REG(NIU_TX_HOLD),
        .diverted = REG(NIU_EXPRESS_DIVERTED),
        .dropped = REG(NIU_COUNT_DROPPED),
        .untranslated = REG(NIU_COUNT_TRANSLATION),
        .refused = REG(NIU_QUEUE_REFUSED) + REG(NIU_MEMORY_REFUSED),
        .commands_free = FIELD(CMD_STATUS_FREE, REG(NIU_CMD_STATUS)),
    };
}

static DEVICE_API(turnstile_niu, api) = {.dispatch = niu_dispatch, .tag = tag, .levels = levels};
DEVICE_DT_INST_DEFINE(0, NULL, NULL, NULL, NULL, POST_KERNEL, CONFIG_KERNEL_INIT_PRIORITY_DEVICE, &api);
