/** \file The NUMA protocol's state of a block, for the checker. */
#include <numa.c>
#include "table.h"

#define FIELD(member, what) {#member, offsetof(struct block, member), sizeof((struct block *)0)->member, what, 0}

const struct check_protocol check_numa = {
    .home = {
        .name = "home",
        .bytes = sizeof(struct block),
        .at = offsetof(struct block, lent),
        .states = {"here", "lent"},
        .rest = 1u << 0,
        .fields = {
            FIELD(visitors, CHECK_SITES),
            FIELD(readonly, CHECK_VALUE),
            FIELD(asked, CHECK_VALUE),
            FIELD(head, CHECK_HEAD),
            FIELD(tail, CHECK_TAIL),
        },
    },
    .copy = {
        .name = "copy",
        .bytes = 1,
        .states = {[0] = "none", [ASKED] = "asked", [ASKED | TAKEN] = "asked, taken", [HERE] = "here", [HERE | AGAIN] = "here, a store waits",
                   [ASKED | FOR_STORE] = "asked for a store", [ASKED | FOR_STORE | TAKEN] = "asked for a store, taken", [HERE | FOR_STORE] = "here for a store"},
        .rest = 1u << 0,
        .tags = {[0] = TT_INVALID},
    },
};
