/** \file mine: begun as a copy of migratory, where a block goes to whoever touches it. */
#include <mine.c>
#include "table.h"

#define IN(state) (1ull << (state))
#define FIELD(member, what, where) {#member, offsetof(struct block, member), sizeof((struct block *)0)->member, what, where}

const struct check_protocol check_mine = {
    .home = {
        .name = "home",
        .bytes = sizeof(struct block),
        .at = offsetof(struct block, busy),
        .states = {"at rest", "BUSY"},
        .rest = IN(0),
        .fields = {
            FIELD(away, CHECK_SITE_OR_NONE, 0),
            FIELD(next, CHECK_SITE, IN(1)),
            FIELD(asked, CHECK_VALUE, 0),
            FIELD(head, CHECK_HEAD, 0),
            FIELD(tail, CHECK_TAIL, 0),
        },
    },
    .copy = {
        .name = "copy",
        .bytes = 1,
        .states = {[NONE] = "NONE", [ASKED] = "ASKED", [HERE] = "HERE", [TAKEN] = "TAKEN"},
        .rest = IN(NONE) | IN(HERE),
        .tags = {[NONE] = TT_INVALID, [HERE] = TT_READ_WRITE},
    },
};
