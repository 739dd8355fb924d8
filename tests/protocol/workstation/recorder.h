/** \file
 * Rows of a protocol's tables: the real handlers at site 0 of four, with a NIU behind them that writes down what it is told.
 *
 * A log is a list of operations, a blank between: `GetRO>1@1280` a low message, its site and its word; `get(RW,RO)DataRO>2@180+128` a
 * block operation, its address and size; `put(I,RO)@1280+128#9` the slot as well; `answer3:7>2.3` a service's answer, tag and word,
 * to aP 1 of site 2. Addresses are those within the heap, in hex.
 */
#ifndef RECORDER_H
#define RECORDER_H
#include "events.h"
#include "tempest.h"

/* Page 0 has its home here, page 1 at site 1; neither block is the first of its page, for an index that is lost would not show. */
enum { HEAP = 0x80800000, AT_HOME = HEAP + 0x180, AT_COPY = HEAP + 0x1280, SELF = 0, SLOT = 9 };

extern uint32_t niu_free; /**< what TX_FREE says */

/** A site after start-up, blocks of 1 << shift bytes, FIFOs of the given depths; nothing open. */
void fresh_site(uint32_t shift, uint32_t home_policy, uint32_t events, uint32_t slots);
/** With the largest heap, and DRAM that holds anything. */
void fresh_large(uint32_t home_policy);
/** As fresh_site, with FIFOs as a Site has them, and pages 0 and 1 open. */
void fresh(uint32_t shift);
/** The same with both pages in the mode of the image's second protocol. */
void fresh_second(void);
/** A message or fault reaches its handler; data is in SLOT. */
void event(tt_handler *handler, uint32_t arg, uint32_t site);
/** What a handler that stops the sP was doing: runs `what`; the log ends with `panic`. */
void until_panic(void (*what)(void));

/** Announces a table: as many calls of row() must follow. */
void table(const char *name, unsigned rows);
/** Prints one row: `ok|FAIL table name | what was done | what was wanted`, and empties the log. */
void row(const char *name, const char *wanted, int state_right);
/** Whether the log is this one; empties it. For steps too many for rows of their own. */
int log_is(const char *wanted);
/** Places taken for answers of a kind that are still to come. */
int places_taken(enum tt_kind kind);

/** Messages in which a block of the page travels. */
static inline uint32_t parts_of(const struct tt_page *p) { return p->shift <= 7 ? 1 : 1u << (p->shift - 7); }

/** Rows with steps of their own. */
struct sequence {
    void (*run)(void);
    unsigned rows;
};
void sequences(const char *name, const struct sequence *first, unsigned count);
#define SEQUENCES(name, list) sequences(name, list, sizeof list / sizeof list[0])

/** The image's protocol of that name, or 0. */
const struct tt_protocol *protocol_named(const char *name);
/** A message of a protocol reaches its handler; data is in SLOT. */
void message(const struct tt_protocol *of, const char *name, uint32_t a, uint32_t site);
/** The first aP of a site asks for the number of a `mode` or `service` by name. */
void call(const char *what, const char *name, uint32_t site);

/** What a program of rows has: all its tables. */
void tables(void);
#endif
