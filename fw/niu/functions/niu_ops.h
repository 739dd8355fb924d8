/** \file
 * The NIU's operations as functions, for firmware that does not run on an sP: on a workstation recorder.c writes them down for the rows and
 * niu_model.c performs them; on an aP (TT_SOFT) apps/soft/engine.c performs them on the aP's own memory.
 */
#ifndef NIU_OPS_H
#define NIU_OPS_H
#include <stdint.h>

enum { NIU_LOW_RESERVE = 8, NIU_COMMANDS = 8 };
#ifdef TT_SOFT /* all of it in the window of the aP, whose heap has no far pages */
extern char __soft_pool[], __soft_pool_end[];
#define NIU_POOL_BASE ((uintptr_t)__soft_pool)
#define NIU_POOL_BYTES ((uint32_t)(__soft_pool_end - __soft_pool))
#define NIU_DRAM_BYTES 0u
#define NIU_DRAM_BASE 0u
#else
#define NIU_POOL_BASE ((uintptr_t)TT.pool)
#define NIU_POOL_BYTES TT_POOL_BYTES
#define NIU_DIRECTORY_BYTES 0x10000u
#define NIU_DRAM_BYTES (NIU_DIRECTORY_BYTES + TT.far_bytes)
#define NIU_DRAM_BASE ((uintptr_t)niu_dram())
#endif

/** Numbers of events (contract §5). */
enum { EVENT_MESSAGE = 0, EVENT_FAULT = 32, EVENT_SERVICE = 64, EVENT_TIMER = 97 };

/** The part of the current site's DRAM that is the directory's. */
void *niu_dram(void);
void niu_express_low(uint32_t site, uint32_t type, uint32_t word);
void niu_express_to(uint32_t name, uint32_t tag, uint32_t word);
uint32_t niu_low_free(void);
void niu_timer_soon(void);
void niu_get_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type);
void niu_put(uint32_t a, uint32_t shift, uint32_t old, uint32_t next);
void niu_put_part(uint32_t a);
void niu_forward(uint32_t a, uint32_t site, uint32_t type, uint32_t last);
void niu_upgrade(uint32_t a, uint32_t shift, uint32_t old, uint32_t next);
void niu_downgrade_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type);
void niu_reply(uint32_t site, uint32_t type, uint32_t word);
void niu_page_tags(uint32_t a, uint32_t next);

/* The current event: what the hardware remembers of it is TT.event and, looked up when the event is taken, TT.event_page here. */
#define NIU_SHIFT(a) ((void)(a), TT.event_page.shift)
static inline const struct tt_page *niu_event_page(void) { return &TT.event_page; }
static inline void niu_about(uint32_t a) {
    TT.event = a;
    if (tt_page_index(a) < TT.page_count)
        TT.event_page = *tt_page_of(a);
}
static inline void niu_event(uint32_t a, uint32_t meta) { niu_about(a), (void)meta; }
static inline void *niu_state(void) {
    const struct tt_page *p = niu_event_page();
    return (char *)p->user + ((TT.event & 0xFFF) >> p->shift << p->state_log2);
}
static inline uint32_t niu_home(void) { return niu_event_page()->home; }
static inline uint32_t niu_parts(void) { return niu_event_page()->shift <= 7 ? 1 : 1u << (niu_event_page()->shift - 7); }
static inline uint32_t niu_block_bytes(void) { return 1u << niu_event_page()->shift; }
static inline void niu_ask_home(uint32_t type, uint32_t a) { niu_express_low(niu_home(), type, a); }
static inline void niu_get_reply(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    niu_get_send(a, shift, old, next, site, type);
}
static inline void niu_downgrade_reply(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    niu_downgrade_send(a, shift, old, next, site, type);
}
enum { NIU_BANK_PAGES = 2048 };
static inline void niu_page(uint32_t index, int banked, uint32_t context, uint32_t home, uint32_t lines_log2, uint32_t state_log2, void *states) {
    (void)index, (void)banked, (void)context, (void)home, (void)lines_log2, (void)state_log2, (void)states;
}
#endif
