/** \file
 * NIU operations as register stores: the Tempest interface's floor on the sP (contract §5). A workstation build puts its own
 * niu_ops.h before this one on the include path.
 */
#ifndef NIU_OPS_H
#define NIU_OPS_H
#include "niu_regs.h"
#include <stdint.h>

/* Low entries of the transmit queue that only tt_request may take: data and instruction cache of each aP. */
enum { NIU_LOW_RESERVE = 8 };
/* Pages whose attributes the sP reaches at a time. */
enum { NIU_BANK_PAGES = 2048 };
/* Commands that may wait in the engine. */
enum { NIU_COMMANDS = 8 };
/* Memory of protocols: what code, tables and stack leave of the sP's data RAM (fw/bare/link.ld), not cleared; then DRAM. */
extern char __pool_start[], __pool_end[];
#define NIU_POOL_BASE ((uintptr_t)__pool_start)
#define NIU_POOL_BYTES ((uint32_t)(__pool_end - __pool_start))
/* The system's part of DRAM, for records of pages and the directory, behind the messages that wait. */
#define NIU_DRAM_BASE (TT.heap_end + KEPT_BYTES)
#define NIU_DRAM_BYTES (TT.memory_end - NIU_DRAM_BASE)

#define NIU_REG(offset) (*(volatile uint32_t *)(NIU_BASE + (offset)))

/* Others wait for what these two start: the compiler must not fill the cycles before with what can come after. */
#define NIU_FIRST() __asm__ volatile("" ::: "memory")

static inline void niu_express_low(uint32_t site, uint32_t type, uint32_t word) {
    *(volatile uint32_t *)(SP_EXPRESS_TX_BASE + EXPRESS_TX_TAG(type) + EXPRESS_TX_DEST(site << 3)) = word;
    NIU_FIRST();
}
/* To any queue by its source name. */
static inline void niu_express_to(uint32_t source, uint32_t tag, uint32_t word) {
    *(volatile uint32_t *)(SP_EXPRESS_TX_BASE + EXPRESS_TX_TAG(tag) + EXPRESS_TX_DEST(source)) = word;
}
/* The same, by the high channel. */
static inline void niu_express_high_to(uint32_t source, uint32_t tag, uint32_t word) {
    *(volatile uint32_t *)(SP_EXPRESS_TX_BASE + EXPRESS_TX_TAG(tag) + EXPRESS_TX_DEST(source) + EXPRESS_TX_PRIO(1)) = word;
}
static inline uint32_t niu_high_free(void) { return NIU_REG(NIU_TX_FREE) >> NIU_TX_FREE_HIGH_SHIFT & NIU_TX_FREE_HIGH_MASK; }
static inline uint32_t niu_low_free(void) { return NIU_REG(NIU_TX_FREE) & NIU_TX_FREE_LOW_MASK; }
static inline void niu_timer_soon(void) { NIU_REG(NIU_TIMER) = NIU_REG(NIU_TIME_LO) + 64; }

/* The current event: the hardware has what firmware said of its page (contract §5). */
static inline void *niu_state(void) { return (void *)NIU_REG(NIU_EV_STATE); }
static inline uint32_t niu_home(void) { return NIU_REG(NIU_EV_PAGE) >> NIU_PAGE_ATTRIBUTES_HOME_SHIFT & NIU_PAGE_ATTRIBUTES_HOME_MASK; }
static inline uint32_t niu_lines_log2(void) { return NIU_REG(NIU_EV_PAGE) >> NIU_PAGE_ATTRIBUTES_SIZE_SHIFT & NIU_PAGE_ATTRIBUTES_SIZE_MASK; }
static inline uint32_t niu_parts(void) { return ((1u << niu_lines_log2()) + 1) >> 1; }
static inline uint32_t niu_block_bytes(void) { return 64u << niu_lines_log2(); }
static inline void niu_about(uint32_t a) { NIU_REG(NIU_EV_ARG) = a; }
/* A message that was kept is the current one again. */
static inline void niu_event(uint32_t a, uint32_t meta) {
    NIU_REG(NIU_EV_ARG) = a;
    NIU_REG(NIU_EV_META) = meta;
}
static inline void niu_ask_home(uint32_t type, uint32_t a) {
    NIU_REG(NIU_ASK_HOME(type)) = a;
    NIU_FIRST();
}
/* What an event of page `index` brings from now on; `banked`: the heap has more than NIU_BANK_PAGES. A home that is not known yet is none that is used. */
static inline void niu_page(uint32_t index, int banked, uint32_t context, uint32_t home, uint32_t lines_log2, uint32_t state_log2, void *states) {
    if (banked)
        NIU_REG(NIU_PAGE_BANK) = index / NIU_BANK_PAGES;
    index %= NIU_BANK_PAGES;
    NIU_REG(NIU_PAGE_STATE(index)) = (uint32_t)states;
    NIU_REG(NIU_PAGE_ATTRIBUTES(index)) = NIU_PAGE_ATTRIBUTES_MODE(context) | NIU_PAGE_ATTRIBUTES_HOME(home & NIU_PAGE_ATTRIBUTES_HOME_MASK) |
                                          NIU_PAGE_ATTRIBUTES_SIZE(lines_log2) | NIU_PAGE_ATTRIBUTES_STATE_SHIFT(state_log2);
}

#define NIU_MESSAGE(type) (NIU_CMD_CTRL_SEND(1) | NIU_CMD_CTRL_PRIO(1) | NIU_CMD_CTRL_TAG(type))
/* The size of the range is that of a block of the event's page. */
#define NIU_SHIFT(a) 0
#define NIU_CHANGE(old, next) \
    (NIU_CMD_CTRL_PAGE_SIZE(1) | NIU_CMD_CTRL_CHECK(1) | NIU_CMD_CTRL_OLD(old) | NIU_CMD_CTRL_SET_TAG(1) | NIU_CMD_CTRL_NEXT(next))
#define NIU_EVENT_DATA (NIU_CMD_CTRL_EVENT_SLOT(1) | NIU_CMD_CTRL_FREE(1))

static inline void niu_launch(uint32_t op, uint32_t ctrl, uint32_t a) {
    NIU_REG(NIU_CMD_CTRL) = ctrl;
    NIU_REG(NIU_LAUNCH(op)) = a;
    NIU_FIRST();
}
static inline void niu_dest(uint32_t site) { NIU_REG(NIU_CMD_DEST) = site << 3; }

static inline void niu_get_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    (void)shift;
    niu_dest(site);
    niu_launch(NIU_OP_GET, NIU_CHANGE(old, next) | NIU_MESSAGE(type), a);
}
static inline void niu_get_reply(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    (void)shift, (void)site;
    niu_launch(NIU_OP_GET, NIU_CHANGE(old, next) | NIU_MESSAGE(type) | NIU_CMD_CTRL_REPLY(1), a);
}
static inline void niu_put(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    (void)shift;
    niu_launch(NIU_OP_PUT, NIU_CHANGE(old, next) | NIU_CMD_CTRL_APPROVE(1) | NIU_EVENT_DATA, a);
}
static inline void niu_drop(void) { niu_launch(NIU_OP_FREE, NIU_EVENT_DATA, 0); }
static inline void niu_put_part(uint32_t a) { niu_launch(NIU_OP_PUT, NIU_EVENT_DATA, a); }
static inline void niu_forward(uint32_t a, uint32_t site, uint32_t type, uint32_t last) {
    niu_dest(site);
    niu_launch(NIU_OP_SEND, NIU_MESSAGE(type) | NIU_CMD_CTRL_EVENT_SLOT(1) | NIU_CMD_CTRL_FREE(last), a);
}
static inline void niu_upgrade(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    (void)shift;
    niu_launch(NIU_OP_TAG, NIU_CHANGE(old, next) | NIU_CMD_CTRL_APPROVE(1), a);
}
static inline void niu_downgrade_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    (void)shift;
    niu_dest(site);
    niu_launch(NIU_OP_FLUSH, NIU_CHANGE(old, next) | NIU_MESSAGE(type), a);
}
static inline void niu_downgrade_reply(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    (void)shift, (void)site;
    niu_launch(NIU_OP_FLUSH, NIU_CHANGE(old, next) | NIU_MESSAGE(type) | NIU_CMD_CTRL_REPLY(1), a);
}
static inline void niu_reply(uint32_t site, uint32_t type, uint32_t word) {
    niu_dest(site);
    niu_launch(NIU_OP_TAG, NIU_MESSAGE(type), word);
}
/* All tags of an unopened page. */
static inline void niu_page_tags(uint32_t a, uint32_t next) {
    const uint32_t ctrl = NIU_CMD_CTRL_SIZE(5) | NIU_CMD_CTRL_CHECK(1) | NIU_CMD_CTRL_OLD(CLS_OTHER) | NIU_CMD_CTRL_SET_TAG(1) |
                          NIU_CMD_CTRL_NEXT(next) | NIU_CMD_CTRL_APPROVE(1);
    niu_launch(NIU_OP_TAG, ctrl, a);
    niu_launch(NIU_OP_TAG, ctrl, a + 2048);
}
#endif
