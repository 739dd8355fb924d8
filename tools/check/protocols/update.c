/** \file The write-update protocol's state of a block and of a site, for the checker. */
#include <update.c>
#include "table.h"

#define FIELD(member, what, where) {#member, offsetof(struct block, member), sizeof((struct block *)0)->member, what, where}
#define SITE(member, what) {#member, offsetof(struct site, member), sizeof((struct site *)0)->member, what, 0}

/* Bits of the byte before `head`, and the states that have one of them. */
enum { IS_LENT = 1, IS_READONLY = 2, IS_CHANGED = 4 };
enum { WHERE_CHANGED = 0xF0, UNLENT = 0x55 };

const struct check_protocol check_update = {
    .home = {
        .name = "home",
        .bytes = sizeof(struct block),
        .at = offsetof(struct block, head) - 1,
        .states = {[0] = "writable", [IS_CHANGED] = "writable, changed", [IS_READONLY] = "shared", [IS_READONLY | IS_CHANGED] = "shared, changed",
                   [IS_LENT | IS_READONLY] = "lent", [IS_LENT | IS_READONLY | IS_CHANGED] = "lent, changed"},
        .rest = UNLENT,
        .tags = {[0] = TT_READ_WRITE, [IS_CHANGED] = TT_READ_WRITE, [IS_READONLY] = TT_READ_ONLY, [IS_READONLY | IS_CHANGED] = TT_READ_ONLY},
        .fields = {
            FIELD(sharers, CHECK_SITES, 0),
            FIELD(next, CHECK_VALUE, WHERE_CHANGED),
            FIELD(head, CHECK_HEAD, 0),
            FIELD(tail, CHECK_TAIL, 0),
        },
    },
    .copy = {
        .name = "copy",
        .bytes = sizeof(struct copy),
        .at = offsetof(struct copy, is),
        .states = {[0] = "none", [HAVE] = "have", [GETTING] = "getting", [HAVE | GETTING] = "have, getting", [GETTING | AGAIN] = "getting, changed again",
                   [HAVE | GETTING | AGAIN] = "have, getting, changed again", [VISITING] = "visiting", [HAVE | VISITING] = "have, visiting",
                   [VISITING | AGAIN] = "visiting, changed", [HAVE | VISITING | AGAIN] = "have, visiting, changed", [VISITING | TAKEN] = "visiting, taken",
                   [HAVE | VISITING | TAKEN] = "have, visiting, taken", [VISITING | TAKEN | AGAIN] = "visiting, taken, changed",
                   [HAVE | VISITING | TAKEN | AGAIN] = "have, visiting, taken, changed", [VISITING | LENT] = "visiting, lent",
                   [HAVE | VISITING | LENT] = "have, visiting, lent", [VISITING | LENT | AGAIN] = "visiting, lent, changed",
                   [HAVE | VISITING | LENT | AGAIN] = "have, visiting, lent, changed"},
        .rest = 1u << 0 | 1u << HAVE,
        .tags = {[0] = TT_INVALID, [HAVE] = TT_READ_ONLY},
        .fields = {{"owes", offsetof(struct copy, owes), 1, CHECK_VALUE, 0}},
    },
    .site = {SITE(changed, CHECK_VALUE), SITE(acks, CHECK_VALUE), SITE(callers, CHECK_VALUE), SITE(caller, CHECK_CALLERS)},
    .release = 0,
};
