/** \file
 * NUMA (VY-12): every access of another site is a visit to the home, and nothing stays behind. The block is fetched for the access that waits, and
 * goes back when that is done, so the home's memory alone has the data, and whoever reads or writes it later asks again.
 *
 * Loads visit together, a store alone; what they exclude waits, in order. docs/reference/numa.md has both tables.
 */
#include "tempest.h"

/* Of a block at its home. Tag: Invalid if `lent`, ReadOnly if `readonly`, else ReadWrite. */
struct block {
    uint32_t visitors[2]; /* sites whose loads are on a visit, one each */
    uint8_t lent;         /* to a store's visit */
    uint8_t readonly;
    uint8_t asked;        /* a store of the home's own aPs is in the list */
    uint8_t head, tail;   /* requests that wait, in order */
    uint8_t unused[3];
};

/* Of another site: FOR_STORE tells what was asked for; TAKEN: Take has overtaken the data; AGAIN: a store came while a load's visit was here. */
enum { ASKED = 1, HERE = 2, FOR_STORE = 4, TAKEN = 8, AGAIN = 16 };

enum { READ, WRITE, TAKE, DATA = 4, LEND = 6, RETURN = 8, LEFT = 10 }; /* messages */
enum { READS, WRITES };                                             /* counters */

static uint32_t bit(uint32_t site) { return 1u << site % 32; }
static int visits(const struct block *b, uint32_t who) { return (b->visitors[who / 32] & bit(who)) != 0; }

static void serve(struct block *b, uint32_t a, uint32_t who, uint32_t type) {
    const enum tt_tag tag = b->readonly ? TT_READ_ONLY : TT_READ_WRITE;
    if (who == TT.site) {
        b->asked = 0;
        if (b->readonly)
            tt_upgrade(a, TT_READ_ONLY, TT_READ_WRITE);
        b->readonly = 0;
        return;
    }
    b->readonly = 1;
    if (type == READ) {
        tt_get_send(a, tag, TT_READ_ONLY, who, DATA);
        b->visitors[who / 32] |= bit(who);
        tt_ask(who, TAKE, a); /* at once: the visit ends when the load is done */
        tt_count(READS);
    } else {
        tt_get_send(a, tag, TT_INVALID, who, LEND);
        b->lent = 1;
        tt_recall(who, TAKE, a);
        tt_count(WRITES);
    }
}
/* A load that comes again before the home has heard of its last visit's end waits for that. */
static int excluded(const struct block *b, uint32_t who, uint32_t type) { return b->lent || (type == WRITE ? (b->visitors[0] | b->visitors[1]) != 0 : visits(b, who)); }
static void request(struct block *b, uint32_t a, uint32_t who, uint32_t type) {
    if (b->head || excluded(b, who, type))
        tt_wait_push(&b->head, &b->tail, who, type);
    else
        serve(b, a, who, type);
}
static void next(struct block *b, uint32_t a) {
    while (b->head && !excluded(b, tt_wait_first(b->head)->who, tt_wait_first(b->head)->kind)) {
        const struct tt_waiter w = tt_wait_pop(&b->head, &b->tail);
        serve(b, a, w.who, w.kind);
    }
}
static __attribute__((noinline)) void read_slowly(uint32_t a, uint32_t meta) { request(tt_state(), a, tt_source(meta), READ); }

/* A load for whose visit nothing has to be waited, with as little before the launch as can be: the same as `serve`. */
static void on_read(uint32_t a, uint32_t meta) {
    struct block *b = tt_state();
    const uint32_t who = tt_source(meta);
    if (!(b->lent | b->head) && !visits(b, who) && tt_may_ask(TT_WORD)) {
        tt_get_reply(a, b->readonly ? TT_READ_ONLY : TT_READ_WRITE, TT_READ_ONLY, meta, DATA);
        tt_ask_now(who, TAKE, a);
        b->visitors[who / 32] |= bit(who);
        b->readonly = 1;
        tt_count(READS);
    } else {
        read_slowly(a, meta);
    }
}
static void on_write(uint32_t a, uint32_t meta) { request(tt_state(), a, tt_source(meta), WRITE); }

/* What is lent comes back by itself, and its return judges the access again. */
static void home_read(uint32_t a, uint32_t meta) {}
static void home_write(uint32_t a, uint32_t meta) {
    struct block *b = tt_state();
    if (b->lent || !b->readonly || b->asked)
        return;
    b->asked = 1;
    request(b, a, TT.site, WRITE);
}

static void on_left(uint32_t a, uint32_t meta) {
    struct block *b = tt_state();
    b->visitors[tt_source(meta) / 32] &= ~bit(tt_source(meta));
    tt_answered(TT_WORD, 1);
    next(b, a);
}
static void on_return(uint32_t a, uint32_t meta) {
    struct block *b = tt_state();
    tt_put(a, TT_INVALID, TT_READ_WRITE);
    b->lent = 0;
    b->readonly = 0;
    tt_answered(TT_RECALLED, 1);
    next(b, a);
}

static void ask(uint8_t *s, uint32_t a, uint32_t type) {
    *s = type == WRITE ? ASKED | FOR_STORE : ASKED;
    tt_ask_home(type, a);
}
static void copy_read(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (!*s)
        ask(s, a, READ);
}
static void copy_write(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (!*s)
        ask(s, a, WRITE);
    else if (*s == HERE) /* the visit's end judges nothing again */
        *s |= AGAIN;
}

/* Done when the access that fetched the block is: hardware waits for it. */
static void leave(uint8_t *s, uint32_t a) {
    const int again = *s & AGAIN;
    if (*s & FOR_STORE)
        tt_get_home(a, TT_READ_WRITE, TT_INVALID, RETURN);
    else
        tt_downgrade_send(a, TT_READ_ONLY, TT_INVALID, tt_home(), LEFT);
    *s = 0;
    if (again)
        ask(s, a, WRITE);
}
static void came(uint32_t a, enum tt_tag tag) {
    uint8_t *s = tt_state();
    tt_put(a, TT_INVALID, tag);
    tt_answered(TT_BLOCK, 1);
    const int taken = *s & TAKEN;
    *s = (*s & FOR_STORE) | HERE;
    if (taken)
        leave(s, a);
}
static void on_data(uint32_t a, uint32_t meta) { came(a, TT_READ_ONLY); }
static void on_lend(uint32_t a, uint32_t meta) { came(a, TT_READ_WRITE); }
static void on_take(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (*s & HERE)
        leave(s, a);
    else
        *s |= TAKEN;
}

#ifdef TT_WORKSTATION
/* What makes it NUMA: a visit over, only the home has the block. */
static const char *invariant(uint32_t a, uint32_t sites, const uint8_t *tags, int rest) {
    for (uint32_t site = 0; rest && site < sites; site++)
        if (tt_page_at(site, a)->state == TT_REMOTE && tags[site] != TT_INVALID)
            return "at rest a site keeps a block of another home";
    return 0;
}
#endif

const struct tt_protocol numa = {
    .name = "numa",
    .modes = {{"numa", .home = {home_read, home_write, TT_READ_WRITE, sizeof(struct block)}, .copy = {copy_read, copy_write, TT_INVALID, 1}}},
    .messages = {[READ] = {"Read", on_read, TT_LOW, .stage = TT_READ_ASKED},
                 [WRITE] = {"Write", on_write, TT_LOW},
                 [TAKE] = {"Take", on_take, TT_LOW},
                 [DATA] = {"Data", on_data, TT_HIGH, .data = 1, .stage = TT_READ_DATA},
                 [LEND] = {"Lend", on_lend, TT_HIGH, .data = 1},
                 [RETURN] = {"Return", on_return, TT_HIGH, .data = 1},
                 [LEFT] = {"Left", on_left, TT_HIGH}},
    .counters = {[READS] = "numa_reads", [WRITES] = "numa_writes"},
    TT_INVARIANT(invariant)};
