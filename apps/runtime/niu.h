/* The aP's side of the NIU windows (docs/design/contract.md §1, §4) and who the calling process is. */
#ifndef TS_NIU_H
#define TS_NIU_H

#include <stdint.h>
#include <turnstile_job.h>

#define NIU_REG(offset) (*(volatile uint32_t *)(0xf0000000u + (offset)))
#define NIU_SITE_ID NIU_REG(0x00)
#define NIU_SITES NIU_REG(0x04)
#define NIU_AP_ID NIU_REG(0x08)
#define NIU_APS NIU_REG(0x0c)
#define NIU_TIME_LO NIU_REG(0x10) /* latches NIU_TIME_HI */
#define NIU_TIME_HI NIU_REG(0x14)
#define NIU_CONSOLE NIU_REG(0x20)
#define NIU_EXIT NIU_REG(0x24)
#define NIU_MARK NIU_REG(0x28)

/* Head of the shared heap, kept for the table of processes. */
#define TS_RUNTIME_SHARED 0x9000u

#define NIU_EXPRESS_TX 0xf0200000u
#define NIU_EXPRESS_RX 0xf0400000u

/* Logical names: site << 3 | (sP protocol, sP service, aP 0..3). */
enum { NAME_SP_SERVICE = 1, NAME_AP = 2 };
enum { PRIO_LOW = 0, PRIO_HIGH = 1 };

/* Process k is aP k mod aps of site k / aps. */
static inline uint32_t self(void) { return NIU_SITE_ID * NIU_APS + NIU_AP_ID; }

/* Sends one Express word from the aP's own queue; the store stalls while the queue is full. */
void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);
/* Waits for the message with @p tag and returns its word. */
uint32_t express_receive(uint32_t tag);

#endif
