/** \file
 * Tempest primitives (BZ-01, BZ-10, BZ-20) over one NIU: what protocol code sees, and all it sees.
 *
 * Names: an *address* is a global shared-heap address, the same at every site; a *block* is 1 to 32 lines, its size a
 * property of the page; a *type* is the index of a message in its protocol's descriptor (protocol.h). Handlers run to
 * completion, one at a time (BZ-22).
 * Block operations are asynchronous but in order: a message that an operation sends leaves after the change it follows.
 * The same source runs on the sP (niu_ops.h writes registers) and on a workstation (niu_ops.h records).
 */
#ifndef TEMPEST_H
#define TEMPEST_H
#include "protocol.h"
#include "tt_limits.h"
#include <stdint.h>

enum { TT_PAGE_SHIFT = 12 };

/** Block tags (BZ-01), with the values of the cls SRAM. TT_BUSY is also the tag of a page nobody opened. */
enum tt_tag { TT_BUSY = 0, TT_INVALID = 1, TT_READ_ONLY = 2, TT_READ_WRITE = 3 };

enum tt_page_state { TT_UNMAPPED, TT_ASKED, TT_HOME, TT_REMOTE };

/** Page record (BZ-05), 8 bytes on the sP. What handlers of a miss need of it the hardware brings with the event. */
struct tt_page {
    void *user;           /**< states of the page's blocks */
    uint8_t home;         /**< site that keeps the directory; TT_NO_SITE while unknown */
    uint8_t shift;        /**< log2 of bytes a block: 6..11 */
    uint8_t mode;           /**< index of TT.modes */
    uint8_t state : 2;      /**< enum tt_page_state */
    uint8_t state_log2 : 3; /**< of the bytes of a block's state */
    uint8_t floating : 1;   /**< home only until the parallel phase begins (BZ-27) */
};

/** The registry's part of a page, meant at site (page mod sites) only. */
struct tt_registry {
    uint8_t home;
    uint8_t log2 : 3, mode : 4, floating : 1; /**< log2: of lines a block */
};
enum { TT_NO_SITE = 0xFF };

/** Statistics under the names that `blizzard` gives them (BZ-38), per site. The simulator reads them at symbol `tt_stats`. */
struct tt_stats {
    uint32_t read_faults, write_faults, upgrade_faults;
    uint32_t data, bytes; /**< blocks sent; their bytes */
    uint32_t page_messages, sync_messages, deferred;
};

#include "tt_state.h"

/* far.c: records of the pages from TT_PAGES on, of page_count in all. */
struct tt_page *tt_far_page(uint32_t index);
struct tt_registry *tt_far_registry(uint32_t index);
uint32_t tt_far_index(const struct tt_page *p);
/** The first page from `index` on whose records are there, or page_count. */
uint32_t tt_far_next(uint32_t index);
/** Bytes of all of them, at NIU_DRAM_BASE. */
uint32_t tt_far_bytes(void);

static inline uint32_t tt_page_index(uint32_t a) { return (a - TT.heap) >> TT_PAGE_SHIFT; }
/** For who has an address from a program: the other functions take heap addresses only, and stop the sP for others. */
static inline int tt_in_heap(uint32_t a) { return a - TT.heap < TT.heap_end - TT.heap; }
/** Page record of a heap address. */
static inline struct tt_page *tt_page_of(uint32_t a) {
    const uint32_t index = tt_page_index(a);
    return __builtin_expect(index < TT_PAGES, 1) ? &TT.pages[index] : tt_far_page(index);
}

#include "niu_ops.h"

/** Index of a block within its page. */
static inline uint32_t tt_block_index(const struct tt_page *p, uint32_t a) { return (a & 0xFFF) >> p->shift; }
static inline uint32_t tt_block_bytes(const struct tt_page *p) { return 1u << p->shift; }
static inline uint32_t tt_page_blocks(const struct tt_page *p) { return 4096u >> p->shift; }

#ifdef TT_PROTOCOL_INDEX /* given to a protocol's files alone */
/** Counters of the protocol that is compiled; `index` into its descriptor's. */
static inline void tt_count_many(uint32_t index, uint32_t n) { TT.counters[TT_PROTOCOL_INDEX * TT_COUNTERS + index] += n; }
static inline void tt_count(uint32_t index) { tt_count_many(index, 1); }
/** Its state of this site: `site_bytes`. */
static inline void *tt_site_state(void) { return TT.site_state[TT_PROTOCOL_INDEX]; }
static inline uint32_t tt_counter(uint32_t index) { return TT.counters[TT_PROTOCOL_INDEX * TT_COUNTERS + index]; }
#endif

/* The current event: the message or fault whose handler runs. Block operations below are about its block, whose address they are given. */

/** State of its block: `state_bytes` of its page's side. */
static inline void *tt_state(void) { return niu_state(); }
/** Home of its page. */
static inline uint32_t tt_home(void) { return niu_home(); }
/** Messages in which its block's lines travel. */
static inline uint32_t tt_parts(void) { return niu_parts(); }
/** From here on the current event is about `a`: for a handler that works on blocks other than its own. */
static inline void tt_about(uint32_t a) { niu_about(a); }
/** The home of the page of `a`, which the current event is about, is another site, as that event told. */
void tt_home_moved(uint32_t a, uint32_t home);

/** State of any block of an open page. */
static inline void *tt_state_at(uint32_t a) {
    const struct tt_page *p = tt_page_of(a);
    return (char *)p->user + (tt_block_index(p, a) << p->state_log2);
}

/* Message metadata. */
static inline uint32_t tt_source(uint32_t meta) { return meta & 0x3F; }
static inline uint32_t tt_type_of(uint32_t meta) { return meta >> 25 & 31; }

/** Answer of a service to the queue of that name. */
void tt_answer_name(uint32_t name, uint32_t tag, uint32_t word);
/** Answers a program's call: `meta` is what its handler got, kept as long as it likes. Once for each call; low, for what an aP does not
 * read must not stop the protocol. */
static inline void tt_answer(uint32_t meta, uint32_t word) { tt_answer_name(meta >> 15 & 0x1FF, tt_type_of(meta), word); }

/* Low messages. Each has places for its answers taken before it leaves; without a free one it waits, in order, and the caller goes on. */

/** The slow half of those below: waits for `places` of `kind`. */
void tt_ask_later(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word);
/** The one request of an access that waits, to the page's home: answered by the block's data or one word. The transmit queue always has
 * an entry left for it. Returns whether it left; if not, the caller's last act is tt_request_later. (In two halves, so that a handler
 * whose request leaves at once needs no stack.) */
static inline int tt_request(uint32_t type, uint32_t a) {
    int left = TT.places[TT_BLOCK].spare >= 0;
    if (__builtin_expect(left, 1)) {
        niu_ask_home(type, a);
        TT.places[TT_BLOCK].spare -= tt_parts();
    }
    return left;
}
static inline void tt_request_later(uint32_t type, uint32_t a) { tt_ask_later(TT_BLOCK, tt_parts(), tt_home(), type, a); }
/** Both halves, for a handler that does not count cycles. */
static inline void tt_ask_home(uint32_t type, uint32_t a) {
    if (!tt_request(type, a))
        tt_request_later(type, a);
}
/** Whether a question of this kind may leave at once: a handler whose cycles count looks first, and uses the `_now` of it. */
static inline int tt_may_ask(enum tt_kind kind) {
    return __builtin_expect(TT.places[kind].spare >= 0 && !TT.places[kind].head && niu_low_free() > NIU_LOW_RESERVE, 1);
}
static inline void tt_ask_for(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word) {
    if (!tt_may_ask(kind)) {
        tt_ask_later(kind, places, site, type, word);
        return;
    }
    niu_express_low(site, type, word);
    TT.places[kind].spare -= places;
}
/** Asks the owner of a block for its data, as its home. */
static inline void tt_recall(uint32_t owner, uint32_t type, uint32_t a) { tt_ask_for(TT_RECALLED, tt_parts(), owner, type, a); }
static inline void tt_recall_now(uint32_t owner, uint32_t type, uint32_t a) {
    niu_express_low(owner, type, a);
    TT.places[TT_RECALLED].spare -= tt_parts();
}
/** The number of the one bit in `bit`, in a dozen cycles whichever it is. */
static inline uint32_t tt_bit_number(uint32_t bit) {
    static const uint8_t numbers[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                        31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
    return numbers[bit * 0x077CB531u >> 27]; /* each five bits of this number occur once */
}
static inline void tt_ask_now(uint32_t site, uint32_t type, uint32_t word) {
    niu_express_low(site, type, word);
    TT.places[TT_WORD].spare--;
}
/** A question that one word answers. */
static inline void tt_ask(uint32_t site, uint32_t type, uint32_t word) { tt_ask_for(TT_WORD, 1, site, type, word); }
/** The same question to each of `sites`, a bit a site; returns how many they are. Those for whom it must wait stand in `left`, which
 * is not to be touched until all have answered. */
uint32_t tt_ask_all(uint64_t *left, uint64_t sites, uint32_t type, uint32_t word);

void tt_places_given_back(enum tt_kind kind);
/** Called by the handler of each answer: its places are free, and what waited for them goes. */
static inline void tt_answered(enum tt_kind kind, uint32_t places) {
    struct tt_places *of = &TT.places[kind];
    of->spare += places;
    if (__builtin_expect(of->head || of->spare > of->all, 0))
        tt_places_given_back(kind);
}

static inline void tt_count_block(void) {
    TT.stats.data++;
    TT.stats.bytes += niu_block_bytes();
}
/** change_blk_acc_and_get + send: newest data of the block to `site`, tag old -> next, one atomic command (BZ-10). */
static inline void tt_get_send(uint32_t a, enum tt_tag old, enum tt_tag next, uint32_t site, uint32_t type) {
    niu_get_send(a, NIU_SHIFT(a), old, next, site, type);
    tt_count_block();
}
/** The same to whoever sent the current message: the shortest way to answer it. */
static inline void tt_get_reply(uint32_t a, enum tt_tag old, enum tt_tag next, uint32_t meta, uint32_t type) {
    niu_get_reply(a, NIU_SHIFT(a), old, next, tt_source(meta), type);
    tt_count_block();
}
/** The same to the page's home. */
static inline void tt_get_home(uint32_t a, enum tt_tag old, enum tt_tag next, uint32_t type) { tt_get_send(a, old, next, tt_home(), type); }
/** The current message's data into the block, then tag old -> next, then whoever waits for it goes on (BZ-11). */
static inline void tt_put(uint32_t a, enum tt_tag old, enum tt_tag next) { niu_put(a, NIU_SHIFT(a), old, next); }
/** The current message's data into its place; tags untouched (an early part of a block larger than two lines). */
static inline void tt_put_part(uint32_t a) { niu_put_part(a); }
/** The current message's data on to `site` (send F), which ends its use; `_keep`: a tt_put follows. */
static inline void tt_forward(uint32_t a, uint32_t site, uint32_t type) { niu_forward(a, site, type, 1); }
static inline void tt_forward_keep(uint32_t a, uint32_t site, uint32_t type) { niu_forward(a, site, type, 0); }
/** Upgrade of the tag; whoever waits goes on. */
static inline void tt_upgrade(uint32_t a, enum tt_tag old, enum tt_tag next) { niu_upgrade(a, NIU_SHIFT(a), old, next); }
/** Downgrade: caches are flushed, tag old -> next, and only then the message goes out, high priority. */
static inline void tt_downgrade_send(uint32_t a, enum tt_tag old, enum tt_tag next, uint32_t site, uint32_t type) {
    niu_downgrade_send(a, NIU_SHIFT(a), old, next, site, type);
}
/** The same to whoever sent the current message. */
static inline void tt_downgrade_reply(uint32_t a, enum tt_tag old, enum tt_tag next, uint32_t meta, uint32_t type) {
    niu_downgrade_reply(a, NIU_SHIFT(a), old, next, tt_source(meta), type);
}
/** High-priority message without any change before it, in order with the block operations: only as an answer. */
static inline void tt_reply(uint32_t site, uint32_t type, uint32_t word) { niu_reply(site, type, word); }

/** Memory for protocol state, zeroed, 8-byte aligned: sP RAM while it lasts, then the site's DRAM. Stops the sP with a
 * message when both are used up. */
void *tt_alloc(uint32_t bytes);

/** A page's start-up (BZ-04): ask for its home, open it. Called for a fault on an unopened page. */
void tt_page_touch(struct tt_page *p, uint32_t a);
/** Keep a message for a page that is not open yet; its handler is called when it is. */
void tt_page_defer(uint32_t a, uint32_t meta);

/** What a user did wrong: said on the console the first times, never a reason to stop. */
void tt_complain(const char *what, uint32_t a, uint32_t b);
/** An impossible state: says what and where on the console and counts it; never silent. */
void tt_error(const char *what, uint32_t a, uint32_t b);
/** The same, and the sP stops. */
void tt_panic(const char *what, uint32_t a, uint32_t b) __attribute__((noreturn));
#endif
