/* The aP's side of the NIU windows (build/include/niu_regs.h, made from the RTL) and who the calling process is. */
#ifndef TS_NIU_H
#define TS_NIU_H

#include <niu_regs.h>
#include <stdint.h>
#include <turnstile_job.h>

#include "layout.h"

#define AP_REG(offset) (*(volatile uint32_t *)(AP_BASE + (offset)))

/* Logical names: site << 3 | (sP protocol, sP service, aP 0..3). */
enum { NAME_SP_SERVICE = 1, NAME_AP = 2 };
enum { PRIO_LOW = 0, PRIO_HIGH = 1 };

/* Process k is aP k mod aps of site k / aps. */
static inline uint32_t self(void) { return AP_REG(AP_SITE_ID) * AP_REG(AP_APS) + AP_REG(AP_AP_ID); }

/* Sends one Express word from the aP's own queue; the store stalls while the queue is full. */
void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);
/* Waits for the message with @p tag and returns its word. */
uint32_t express_receive(uint32_t tag);

#endif
