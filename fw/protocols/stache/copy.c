/** \file Stache at a site that is not the page's home: the second table of docs/reference/stache.md. */
#include "stache.h"

/* Asks the home, once for all CPUs of the site. What else the handler changes comes after the message. */
static inline __attribute__((always_inline)) void ask_home(uint32_t a, uint32_t type, uint8_t *s, enum stache_copy_state next,
                                                           enum stache_counter request, uint32_t *faults) {
    int left = tt_request(type, a);
    *s = next;
    tt_count(request);
    ++*faults;
    if (!left)
        tt_request_later(type, a);
}

/* INV, load -> Get RO. A second CPU's fault finds P-x and joins; a resolved one finds RO or RW: nothing to do. */
void stache_copy_read(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (__builtin_expect(*s == C_INV, 1))
        ask_home(a, STACHE_GET_RO, s, C_P_RO, GET_RO, &TT.stats.read_faults);
}

/* INV, store -> Get RW; RO, store -> Upgrade. */
void stache_copy_write(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (*s == C_INV)
        ask_home(a, STACHE_GET_RW, s, C_P_RW, GET_RW, &TT.stats.write_faults);
    else if (*s == C_RO)
        ask_home(a, STACHE_UPGRADE, s, C_P_UPG, UPGRADE, &TT.stats.upgrade_faults);
}

/* Inval RO answered only after the tag is Invalid and caches are flushed. */
static void give_up_ro(uint32_t a) {
    tt_downgrade_send(a, TT_READ_ONLY, TT_INVALID, tt_home(), STACHE_ACK);
    tt_count(ACK);
}

static void give_up_rw(uint32_t a) { tt_get_home(a, TT_READ_WRITE, TT_INVALID, STACHE_RECALL); }

/* P-RO, data -> RO; if an Inval RO overtook it, one access, then Invalid and ack: the NIU defers the downgrade until the
 * approved access has completed (VY-06). */
void stache_data_ro(uint32_t a, uint32_t meta) {
    tt_put(a, TT_INVALID, TT_READ_ONLY);
    uint8_t *s = tt_state();
    if (*s == C_P_RO) {
        *s = C_RO;
    } else if (*s == C_P_RO_INVAL) {
        give_up_ro(a);
        *s = C_INV;
    } else {
        tt_error("Data RO for a copy that waits for none: address, state", a, *s);
        return;
    }
    tt_answered(TT_BLOCK, 1);
}

/* P-RW, data -> RW; P-UPG likewise, if home had to treat the upgrade as Get RW. */
void stache_data_rw(uint32_t a, uint32_t meta) {
    tt_put(a, TT_INVALID, TT_READ_WRITE);
    uint8_t *s = tt_state();
    if (*s == C_P_RW) {
        *s = C_RW;
    } else if (*s == C_P_RW_INVAL) {
        give_up_rw(a);
        *s = C_INV;
    } else {
        tt_error("Data RW for a copy that waits for none: address, state", a, *s);
        return;
    }
    tt_answered(TT_BLOCK, 1);
}

/* An early part of a block larger than two lines: into its place, still invisible behind the tag (BZ-11). */
void stache_data_part(uint32_t a, uint32_t meta) {
    tt_put_part(a);
    tt_answered(TT_BLOCK, 1);
}

/* P-UPG, grant -> RW. */
void stache_grant(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    tt_upgrade(a, TT_READ_ONLY, TT_READ_WRITE);
    if (*s == C_P_UPG) {
        *s = C_RW;
    } else if (*s == C_P_UPG_INVAL) {
        give_up_rw(a);
        *s = C_INV;
    } else {
        tt_error("Grant for a copy that waits for none: address, state", a, *s);
        return;
    }
    tt_answered(TT_BLOCK, tt_parts());
}

void stache_inval_ro(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (__builtin_expect(*s == C_RO, 1)) {
        tt_downgrade_reply(a, TT_READ_ONLY, TT_INVALID, meta, STACHE_ACK);
        *s = C_INV;
        tt_count(ACK);
        return;
    }
    switch (*s) {
    case C_P_UPG: /* another's write came first: home will send data */
        give_up_ro(a);
        *s = C_P_RW;
        break;
    case C_P_RO:
        *s = C_P_RO_INVAL;
        break;
    default: /* stale: nothing here to give up */
        tt_reply(tt_source(meta), STACHE_NONE, a);
        tt_count(ACK);
    }
}

/* A first-touch page learns its new home here (BZ-27). */
static inline void learn_home(uint32_t a, uint32_t meta) {
    if (__builtin_expect(tt_home() != tt_source(meta), 0))
        tt_home_moved(a, tt_source(meta));
}

static __attribute__((noinline)) void inval_rw_early(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    learn_home(a, meta);
    switch (*s) {
    case C_P_RW:
        *s = C_P_RW_INVAL;
        break;
    case C_P_UPG:
        *s = C_P_UPG_INVAL;
        break;
    default:
        tt_reply(tt_source(meta), STACHE_NONE, a);
        tt_count(ACK);
    }
}

void stache_inval_rw(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (*s == C_RW) {
        tt_get_reply(a, TT_READ_WRITE, TT_INVALID, meta, STACHE_RECALL);
        *s = C_INV;
        learn_home(a, meta);
    } else {
        inval_rw_early(a, meta);
    }
}
