/** \file
 * The NIU as a device (binding turnstile,niu): its events, and what it says of itself. Commands are the business of protocols, by
 * fw/niu/niu_ops.h.
 */
#ifndef TURNSTILE_NIU_H
#define TURNSTILE_NIU_H
#include <stdint.h>
#include <zephyr/device.h>

/** What waits in the NIU, and what it counted since reset. */
struct turnstile_niu_levels {
    uint32_t events_high, events_local, events_low;
    uint32_t low_free, high_free; /**< Express entries of the sP's transmit queue */
    uint32_t slots_free;
    uint32_t held;     /**< bit i: transmit queue i sends nothing */
    uint32_t diverted; /**< bit i: messages of Express queue i are kept for the sP */
    uint32_t dropped, untranslated, refused;
    uint32_t commands_free;
};

__subsystem struct turnstile_niu_driver_api {
    void (*dispatch)(const struct device *niu);
    uint32_t (*tag)(const struct device *niu, uint32_t address);
    void (*levels)(const struct device *niu, struct turnstile_niu_levels *levels);
};

/** Takes events and calls their handlers, for ever: the caller is a cooperative thread below all others that are to run. */
static inline void turnstile_niu_dispatch(const struct device *niu) { DEVICE_API_GET(turnstile_niu, niu)->dispatch(niu); }
/** The cls code of the line at a byte address of the shared heap. */
static inline uint32_t turnstile_niu_tag(const struct device *niu, uint32_t address) { return DEVICE_API_GET(turnstile_niu, niu)->tag(niu, address); }
static inline void turnstile_niu_levels(const struct device *niu, struct turnstile_niu_levels *levels) {
    DEVICE_API_GET(turnstile_niu, niu)->levels(niu, levels);
}
#endif
