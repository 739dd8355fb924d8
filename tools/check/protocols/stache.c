/** \file Stache's state of a block, for the checker. */
#include "stache.h"
#include "table.h"

#define IN(state) (1ull << (state))
#define FIELD(member, what, where) {#member, offsetof(struct stache_dir, member), sizeof((struct stache_dir *)0)->member, what, where}

const struct check_protocol check_stache = {
    .home = {
        .name = "home",
        .bytes = sizeof(struct stache_dir),
        .at = offsetof(struct stache_dir, state),
        .states = {[ALONE] = "ALONE", [SHARED] = "SHARED", [REMOTE] = "REMOTE", [BUSY_INV] = "BUSY-INV", [BUSY_RECALL] = "BUSY-RECALL"},
        .rest = IN(ALONE) | IN(SHARED) | IN(REMOTE),
        .tags = {[ALONE] = TT_READ_WRITE, [SHARED] = TT_READ_ONLY, [REMOTE] = TT_INVALID},
        .fields = {
            FIELD(sharers, CHECK_SITES, IN(SHARED) | IN(BUSY_INV)),
            FIELD(owner, CHECK_SITE, IN(REMOTE) | IN(BUSY_RECALL)),
            FIELD(req, CHECK_SITE, IN(BUSY_INV) | IN(BUSY_RECALL)),
            FIELD(want, CHECK_VALUE, IN(BUSY_INV) | IN(BUSY_RECALL)),
            FIELD(acks, CHECK_VALUE, 0),
            FIELD(home_asks, CHECK_VALUE, 0),
            FIELD(head, CHECK_HEAD, 0),
            FIELD(tail, CHECK_TAIL, 0),
        },
    },
    .copy = {
        .name = "copy",
        .bytes = 1,
        .states = {[C_INV] = "INV", [C_RO] = "RO", [C_RW] = "RW", [C_P_RO] = "P-RO", [C_P_RW] = "P-RW", [C_P_UPG] = "P-UPG",
                   [C_P_RO_INVAL] = "P-RO, overtaken", [C_P_RW_INVAL] = "P-RW, overtaken", [C_P_UPG_INVAL] = "P-UPG, overtaken"},
        .rest = IN(C_INV) | IN(C_RO) | IN(C_RW),
        .tags = {[C_RO] = TT_READ_ONLY, [C_RW] = TT_READ_WRITE},
    },
};
