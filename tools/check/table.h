/** \file
 * What the checker has to know of a protocol's state of a block, in a table: how it is renamed when sites change places, what means
 * something in which state, and words for people. tools/check/protocols/NAME.c defines `check_NAME`; a protocol
 * of one file is included there as <NAME.c>, so that its types are known.
 */
#ifndef CHECK_TABLE_H
#define CHECK_TABLE_H
#include <stddef.h>
#include <stdint.h>

enum check_kind {
    CHECK_VALUE,
    CHECK_SITE,  /**< a site's number */
    CHECK_SITES, /**< a set of sites, a bit each */
    CHECK_HEAD,  /**< of a list of waiters (tt_wait_push); the CHECK_TAIL is the next field */
    CHECK_TAIL,
    CHECK_SITE_OR_NONE, /**< 0, or a site's number and 1 */
    CHECK_CALLERS /**< `meta` of calls that are not answered yet, as many as the word before them says */
};

struct check_field {
    const char *name; /**< 0 ends the list */
    uint8_t offset, bytes, kind;
    uint64_t live; /**< a bit for each state in which it means something; 0: in all */
};

/** The state of a block at the page's home, or elsewhere. */
struct check_side {
    const char *name;
    uint8_t bytes;             /**< of a block's state */
    uint8_t at;                /**< offset of the byte that is the state proper */
    const char *states[64];
    uint64_t rest;             /**< a bit for each state that may last */
    uint8_t tags[64];          /**< enum tt_tag of a block at rest in that state; 0: any */
    struct check_field fields[12];
};

struct check_protocol {
    struct check_side home, copy;
    struct check_field site[4]; /**< of the state of a whole site (tt_site_state) */
    int8_t release; /**< with release consistency: the service that makes the caller's stores visible, by its place in the descriptor */
};
/** In the order of tt_protocols. */
extern const struct check_protocol *const check_protocols[];
#endif
