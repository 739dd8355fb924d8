/** \file
 * Everything that the firmware of one site remembers, in one structure: on the sP the global `TT`; on a workstation
 * `TT` names the site under test, so that many sites live in one process.
 */
#ifndef TT_STATE_H
#define TT_STATE_H
#include "sync_state.h"
#include "tt_limits.h"
#include <stdint.h>

/** What the loader says (contract §8). */
struct tt_config {
    uint32_t magic, sites, aps, block_log2, home_policy;
    uint32_t heap, heap_end;  /**< addresses: the shared heap, with the system's part behind it */
    uint32_t memory_end;      /**< that of DRAM */
    uint32_t private_bytes;   /**< of an aP's window */
    uint32_t hosts;           /**< bit q: Express queue q of every site is a host's */
};
enum { TT_MAGIC = 0x54545543, TT_ROUND_ROBIN = 0, TT_FIRST_TOUCH = 1 };

/** A request that waits for a busy block or a page. Index 0 ends a list. */
struct tt_waiter {
    uint16_t who;
    uint8_t kind, next;
};

/** A message for a page that is not open yet. */
struct tt_deferred {
    uint32_t a, meta;
};

/** Kinds of answers that a site waits for, each with places of its own (docs/design/reservations.md): data or a grant for an access
 * of its own aPs; the data of a block that it recalls as its home; a word, from a sharer or a registry. */
enum tt_kind { TT_BLOCK, TT_RECALLED, TT_WORD, TT_KINDS };

/** Places for one kind of answer. `spare`: free ones, less what the largest block needs. `all`: `spare` when nothing is under way. */
struct tt_places {
    int32_t spare, all;
    uint8_t head, tail; /**< messages that wait, oldest first: indices into `later`, 0 none */
};

/** A low message that waits for the places of its answers, or for the transmit queue. */
struct tt_later {
    uint64_t *sites; /**< a bit for each that it still has to go to; 0: it goes to `site` */
    uint32_t word;
    uint8_t site, type, places, next;
};

/** A mode of the image, in the order of its protocols; a page's mode is an index of these. */
struct tt_image_mode {
    const struct tt_mode *mode;
    const struct tt_protocol *protocol;
    uint32_t most_log2; /**< of lines a block */
};

/** A service's answer that waits for the transmit queue. */
struct tt_answer {
    uint16_t name, tag;
    uint32_t word;
};

struct tt_state {
    struct tt_page pages[TT_PAGES]; /* first: its address is the structure's */
    struct tt_stats stats;
    uint32_t counters[TT_IMAGE_PROTOCOLS * TT_COUNTERS];
    uint32_t site, sites, aps, heap, heap_end, memory_end, page_count;
    uint32_t mode_count;
    struct tt_image_mode modes[TT_IMAGE_MODES];
    void *site_state[TT_IMAGE_PROTOCOLS];
    uint32_t home_policy, parallel;
    uint32_t errors, complaints;
    struct tt_places places[TT_KINDS];
    struct tt_later later[TT_WAITERS];
    uint32_t answers_head, answers_tail;
    struct tt_answer answers[TT_ANSWERS];
    uint32_t answering[(TT_ANSWERS + 31) / 32]; /**< a bit an aP of the cluster: one of them is its */
    uint8_t later_free, timer_set;
    uint8_t waiter_free;
    struct tt_waiter waiters[TT_WAITERS];
    struct tt_deferred deferred[TT_DEFERRED];
    uint32_t deferred_count;
    struct sync_state sync;
    uint32_t far_bytes; /* of DRAM, in front of tt_alloc's: records of pages */
    uint32_t memory_used, gap, gap_end; /* of tt_alloc; gap: left by an alignment */
#ifdef TT_WORKSTATION
    uint64_t pool[TT_POOL_BYTES / 8]; /* the sP's RAM */
#endif
#if defined TT_WORKSTATION || defined TT_SOFT
    uint32_t event; /* what the hardware remembers of the current event: its address, and its page as it was then */
    struct tt_page event_page;
#endif
    struct tt_registry fresh_registry; /* of a page nobody asked about */
    uint32_t far_known[(TT_MOST_PAGES - TT_PAGES) / (TT_FAR_BLOCK * 32) + 1]; /* a bit for TT_FAR_BLOCK pages: their records are there */
    struct tt_registry registry[TT_PAGES];
};

#ifdef TT_WORKSTATION
extern struct tt_state *tt_current;
#define TT (*tt_current)
#else
extern struct tt_state TT;
#endif

/** Waiting lists: FIFO of (who, kind); `head` and `tail` are indices, 0 = empty. */
void tt_wait_push(uint8_t *head, uint8_t *tail, uint32_t who, uint32_t kind);
struct tt_waiter tt_wait_pop(uint8_t *head, uint8_t *tail);
/** Who waits first; `head` is not 0. */
static inline const struct tt_waiter *tt_wait_first(uint8_t head) { return &TT.waiters[head]; }
/** The first (who, kind) leaves the list, if there is one. */
void tt_wait_remove(uint8_t *head, uint8_t *tail, uint32_t who, uint32_t kind);
/** Makes the state of a fresh site: before any event. tt_places_init follows. */
void tt_state_init(uint32_t site, const struct tt_config *config);
/** Makes the table of the image's modes; part of tt_state_init. */
void tt_image_init(void);
/** Divides `events` entries of the high event FIFO and `slots` that low messages leave alone among the kinds of answers. At least 48
 * and 40, else the sP stops with a message. */
void tt_places_init(uint32_t events, uint32_t slots);
#endif
