/** \file
 * Everything that the firmware of one site remembers, in one structure: on the sP the global `TT`; on a workstation
 * `TT` names the site under test, so that many sites live in one process.
 */
#ifndef TT_STATE_H
#define TT_STATE_H
#include <stdint.h>

enum { TT_RING = 256, TT_WAITERS = 256, TT_LOCKS = 512, TT_BARRIERS = 64, TT_POOL_BYTES = 14 * 1024 };

/** What the loader says (contract §8). */
struct tt_config {
    uint32_t magic, sites, aps, block_log2, home_policy;
};
enum { TT_MAGIC = 0x54545543, TT_ROUND_ROBIN = 0, TT_FIRST_TOUCH = 1 };

/** A request that waits for a busy block, a lock or a page. Index 0 ends a list. */
struct tt_waiter {
    uint16_t who;
    uint8_t kind, next;
};

struct tt_lock {
    uint16_t owner; /**< source name + 1; 0 free */
    uint8_t head, tail;
};

struct tt_barrier {
    uint16_t id, count, arrived, used;
    uint32_t waiting[8]; /**< a bit an aP of the cluster: site * 4 + ap */
};

struct tt_deferred {
    void (*handler)(uint32_t, uint32_t);
    uint32_t a, meta;
};

struct tt_state {
    struct tt_page pages[TT_PAGES]; /* first: its address is the structure's */
    struct tt_stats stats;
    uint32_t site, sites, aps, heap;
    uint32_t home_policy, parallel;
    uint32_t errors;
    /* low messages that found the transmit queue full */
    uint32_t ring_head, ring_tail;
    struct { uint16_t dest; uint16_t type; uint32_t word; } ring[TT_RING];
    uint8_t waiter_free;
    struct tt_waiter waiters[TT_WAITERS];
    struct tt_deferred deferred[64];
    uint32_t deferred_count;
    struct tt_lock locks[TT_LOCKS];
    struct tt_barrier barriers[TT_BARRIERS];
    uint32_t pool_used, dram_used;
    uint64_t pool[TT_POOL_BYTES / 8];
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
/** Makes the state of a fresh site: before any event. */
void tt_state_init(uint32_t site, const struct tt_config *config, uint32_t heap);
#endif
