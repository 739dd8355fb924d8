/** \file
 * Stache (BZ-26, docs/reference/stache.md): sequentially consistent S-COMA shared memory with a directory at each page's home.
 * home.c is the table of home states, copy.c that of cached copies; a row is a few lines there. stache.c describes it all.
 */
#ifndef STACHE_H
#define STACHE_H
#include "tempest.h"

/** Message types: even and odd mean something only for data, whose early parts have the next number. */
enum stache_type {
    STACHE_GET_RO = 1, STACHE_GET_RW = 3, STACHE_UPGRADE = 5, STACHE_INVAL_RO = 7, STACHE_INVAL_RW = 9,                     /* low */
    STACHE_DATA_RO = 10, STACHE_DATA_RW = 12, STACHE_RECALL = 14, STACHE_ACK = 16, STACHE_GRANT = 17, STACHE_NONE = 18 /* high */
};

/** What is counted: requests sent, and answers to them. */
enum stache_counter { GET_RO, GET_RW, UPGRADE, INVAL_RO, INVAL_RW, ACK, GRANT };

/** Home state of a block. The tag at home is RW in ALONE, RO in SHARED, Invalid in REMOTE. */
enum stache_home_state { ALONE, SHARED, REMOTE, BUSY_INV, BUSY_RECALL };

/** What a requester wants; the home itself is a requester too. */
enum stache_want { WANT_RO, WANT_RW, WANT_UPGRADE };

/** Directory entry, 16 bytes. */
struct stache_dir {
    uint64_t sharers;  /**< sites with a read-only copy, without the home */
    uint8_t state;     /**< enum stache_home_state */
    uint8_t owner;     /**< REMOTE, BUSY_RECALL */
    uint8_t req, want; /**< BUSY: the request being served */
    uint8_t acks;      /**< BUSY_INV: still to come */
    uint8_t head, tail; /**< requests that wait, in order of arrival */
    uint8_t home_asks; /**< wants of the home itself that wait or are served, a bit each */
};

/** State of a cached copy, one byte a block. */
enum stache_copy_state {
    C_INV, C_RO, C_RW,
    C_P_RO, C_P_RW, C_P_UPG,
    C_P_RO_INVAL, /**< Inval RO overtook the data */
    C_P_RW_INVAL, /**< Inval RW overtook the data */
    C_P_UPG_INVAL /**< Inval RW overtook the grant */
};

tt_handler stache_home_read, stache_home_write, stache_copy_read, stache_copy_write;
tt_handler stache_get_ro, stache_get_rw, stache_upgrade, stache_ack, stache_none, stache_recall, stache_recall_part; /* at home */
tt_handler stache_data_ro, stache_data_rw, stache_data_part, stache_grant, stache_inval_ro, stache_inval_rw;          /* at a copy */
uint8_t stache_opened(struct tt_page *p, uint32_t owner);
void stache_left(struct tt_page *p);
tt_invariant stache_invariant;

static inline struct stache_dir *stache_dir_of(const struct tt_page *p, uint32_t a) {
    return (struct stache_dir *)p->user + tt_block_index(p, a);
}
static inline uint8_t *stache_copy_of(const struct tt_page *p, uint32_t a) { return (uint8_t *)p->user + tt_block_index(p, a); }
#endif
