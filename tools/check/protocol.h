/** \file
 * What the checker has to know of a protocol's state of a block, in a table: how it is renamed when sites change places, what means
 * something in which state, and words for people. tools/check/protocols/NAME.c defines `check_protocol`.
 */
#ifndef CHECK_PROTOCOL_H
#define CHECK_PROTOCOL_H
#include <stddef.h>
#include <stdint.h>

enum check_kind {
    CHECK_VALUE,
    CHECK_SITE,  /**< a site's number */
    CHECK_SITES, /**< a set of sites, a bit each */
    CHECK_HEAD,  /**< of a list of waiters (tt_wait_push); the CHECK_TAIL is the next field */
    CHECK_TAIL
};

struct check_field {
    const char *name; /**< 0 ends the list */
    uint8_t offset, bytes, kind;
    uint32_t live; /**< a bit for each state in which it means something; 0: in all */
};

/** The state of a block at the page's home, or elsewhere. */
struct check_side {
    const char *name;
    uint8_t bytes;             /**< of a block's state */
    uint8_t at;                /**< offset of the byte that is the state proper */
    const char *states[16];
    uint32_t rest;             /**< a bit for each state that may last */
    struct check_field fields[12];
};

struct check_protocol {
    const char *name;
    struct check_side home, copy;
    const char *messages[32];
};
extern const struct check_protocol check_protocol;
#endif
