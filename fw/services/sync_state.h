/** \file
 * Who holds and who waits for the locks and barriers of a site. Nothing here can be used up: an aP waits for one of them at a time, so
 * each has one link, and each barrier that is under way has an aP that waits in it.
 */
#ifndef SYNC_STATE_H
#define SYNC_STATE_H
#include "tt_limits.h"
#include <stdint.h>

/** aPs of a cluster: number site * 4 + ap. */
enum { SYNC_APS = TT_ANSWERS, SYNC_LOCKS = TT_LOCKS };

/** Those who wait stand in a ring, each with the number of the next; whoever keeps the ring keeps its last. */
struct sync_lock {
    uint16_t owner; /**< aP + 1; 0 free */
    uint16_t last;  /**< aP + 1; 0 nobody waits */
};

struct sync_barrier {
    uint16_t id, count, arrived;
    uint8_t last;
};

struct sync_state {
    struct sync_lock locks[SYNC_LOCKS];
    struct sync_barrier barriers[SYNC_APS];
    uint32_t barriers_used; /**< the first ones of `barriers` */
    uint32_t waits[(SYNC_APS + 31) / 32];
    uint8_t next[SYNC_APS];
};
#endif
