/* The aP's side of the NIU windows (build/include/niu_regs.h, made from the RTL) and who the calling process is. */
#ifndef TS_NIU_H
#define TS_NIU_H

#include <niu_regs.h>
#include <stdint.h>
#include <turnstile_job.h>
#include <turnstile_message.h>

#include "layout.h"

/* ts_fence without a call, which costs a line of the instruction cache. */
static inline void ap_fence(void) { __asm__ volatile("" ::: "memory"); }

#define AP_REG(offset) (*(volatile uint32_t *)(AP_BASE + (offset)))

/* Logical names: site << 3 | (sP protocol, sP service, aP 0..3). */
enum { NAME_SP_SERVICE = 1, NAME_AP = 2, NAME_DMA = 1 /* of Basic queues, at the own site */ };
enum { PRIO_LOW = 0, PRIO_HIGH = 1 };

/* Where the loader says that memory is. */
extern const volatile struct tt_memory __tt_memory;

/* What the NIU says of this aP, asked once: an uncached load costs more than many instructions. */
struct own {
    uint32_t sites, aps, site, ap;
    uint32_t per_ap; /* 2^16 / aps, rounded up: a process number is at most 255 */
};
extern struct own ts_own;
static inline const struct own *own(void) { return &ts_own; }
/* Before anything else. */
void own_init(void);

/* Process k is aP k mod aps of site k / aps. */
static inline uint32_t self(void) { return own()->site * own()->aps + own()->ap; }
static inline uint32_t name_of(uint32_t process)
{
    uint32_t site = process * own()->per_ap >> 16;

    return site << 3 | (NAME_AP + process - site * own()->aps);
}
static inline int process_of(uint32_t name) { return (int)((name >> 3) * own()->aps + (name & 7) - NAME_AP); }

/* Sends one Express word from the aP's own queue; the store stalls while the queue is full. What comes from other processes meanwhile is kept
 * for ts_express_poll. */
void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);
/* Waits for an sP's answer with @p tag and returns its word. */
uint32_t express_receive(uint32_t tag);
/* Keeps a message of a process for ts_express_poll, which takes those that are kept first; whether any is. */
void express_keep(uint32_t meta, uint32_t word);
int express_kept(void);
#ifdef TS_SOFT
/* Takes a message, if there is one, which must be of a process; returns whether there was one. */
int express_look(void);
#endif
/* Fills in @p message, of a process. */
void express_deliver(ts_express_t *message, uint32_t meta, uint32_t word);
/* Begins a Basic message to @p name, as ts_basic_make; `lines_and_offset`: what is attached, and at which bytes of the tag-on area. */
void *basic_slot(ts_basic_t *queue, uint32_t name, unsigned tag, unsigned bytes, uint32_t lines_and_offset);
/* Waits for another process to start one here, and returns what it sent. */
uint32_t express_receive_start(void);

#endif
