/** \file Every row of Stache's table of home states (docs/reference/stache.md). */
#include "recorder.h"
#include "stache_rows.h"

struct home_row {
    const char *name;
    struct stache_dir before;
    tt_handler *event;
    uint32_t source;
    const char *done;
    int state, owner; /* owner -1: means nothing then */
    uint64_t sharers;
    uint32_t shift; /* block of 1 << shift bytes, 0: 128 */
    int taken;      /* places still taken afterwards; 0: those of the state */
};
static const struct home_row rows[] = {
    {"ALONE: Get RO X", {.state = ALONE}, stache_get_ro, 2, "get(RW,RO)DataRO>2@180+128", SHARED, -1, 4},
    {"ALONE: Get RW X", {.state = ALONE}, stache_get_rw, 2, "get(RW,I)DataRW>2@180+128", REMOTE, 2, 0},
    {"ALONE: home load resolved meanwhile", {.state = ALONE}, tt_on_read_fault, 0, "", ALONE, -1, 0},
    {"ALONE: home store resolved meanwhile", {.state = ALONE}, tt_on_write_fault, 0, "", ALONE, -1, 0},
    {"SHARED: Get RO X", {.state = SHARED, .sharers = 2}, stache_get_ro, 2, "get(RO,RO)DataRO>2@180+128", SHARED, -1, 6},
    {"SHARED: home load resolved meanwhile", {.state = SHARED, .sharers = 2}, tt_on_read_fault, 0, "", SHARED, -1, 2},
    {"SHARED: Get RW X, other sharers", {.state = SHARED, .sharers = 10}, stache_get_rw, 2, "InvalRO>1@180 InvalRO>3@180", BUSY_INV, -1, 0},
    {"SHARED: Upgrade X, other sharers", {.state = SHARED, .sharers = 14}, stache_upgrade, 2, "InvalRO>1@180 InvalRO>3@180", BUSY_INV, -1, 0},
    {"SHARED: home store", {.state = SHARED, .sharers = 10}, tt_on_write_fault, 0, "InvalRO>1@180 InvalRO>3@180", BUSY_INV, -1, 0},
    {"SHARED: Upgrade X, sole sharer", {.state = SHARED, .sharers = 4}, stache_upgrade, 2, "flush(RO,I)Grant>2@180+128", REMOTE, 2, 0},
    {"SHARED: Get RW X, sole sharer", {.state = SHARED, .sharers = 4}, stache_get_rw, 2, "get(RO,I)DataRW>2@180+128", REMOTE, 2, 0},
    {"SHARED: home store, no sharer", {.state = SHARED}, tt_on_write_fault, 0, "tag(RO,RW)@180+128", ALONE, -1, 0},
    {"SHARED: Upgrade from non-sharer is Get RW", {.state = SHARED, .sharers = 2}, stache_upgrade, 2, "InvalRO>1@180", BUSY_INV, -1, 0},
    {"BUSY-INV: an ack, more to come", {.state = BUSY_INV, .acks = 2, .req = 2, .want = WANT_RW}, stache_ack, 1, "", BUSY_INV, -1, 0},
    {"BUSY-INV: last ack, Get RW", {.state = BUSY_INV, .acks = 1, .req = 2, .want = WANT_RW}, stache_ack, 1, "get(RO,I)DataRW>2@180+128", REMOTE, 2, 0},
    {"BUSY-INV: last ack, Upgrade", {.state = BUSY_INV, .acks = 1, .req = 2, .want = WANT_UPGRADE}, stache_ack, 1, "flush(RO,I)Grant>2@180+128", REMOTE, 2, 0},
    {"BUSY-INV: last ack, home", {.state = BUSY_INV, .acks = 1, .req = 0, .want = WANT_RW, .home_asks = 1 << WANT_RW}, stache_ack, 1, "tag(RO,RW)@180+128", ALONE, -1, 0},
    {"BUSY-INV: none counts as ack", {.state = BUSY_INV, .acks = 1, .req = 2, .want = WANT_RW}, stache_none, 1, "get(RO,I)DataRW>2@180+128", REMOTE, 2, 0},
    {"BUSY-INV: Get RO waits", {.state = BUSY_INV, .acks = 1, .req = 2, .want = WANT_RW}, stache_get_ro, 3, "", BUSY_INV, -1, 0},
    {"REMOTE: Get RO X", {.state = REMOTE, .owner = 1}, stache_get_ro, 2, "InvalRW>1@180", BUSY_RECALL, 1, 0},
    {"REMOTE: Get RW X", {.state = REMOTE, .owner = 1}, stache_get_rw, 2, "InvalRW>1@180", BUSY_RECALL, 1, 0},
    {"REMOTE: Upgrade X is Get RW", {.state = REMOTE, .owner = 1}, stache_upgrade, 2, "InvalRW>1@180", BUSY_RECALL, 1, 0},
    {"REMOTE: home load", {.state = REMOTE, .owner = 1}, tt_on_read_fault, 0, "InvalRW>1@180", BUSY_RECALL, 1, 0},
    {"REMOTE: home store", {.state = REMOTE, .owner = 1}, tt_on_write_fault, 0, "InvalRW>1@180", BUSY_RECALL, 1, 0},
    {"BUSY-RECALL: data, Get RO", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RO}, stache_recall, 1, "copy:DataRO>2@180#9 put(I,RO)@180+128#9", SHARED, -1, 4},
    {"BUSY-RECALL: data, Get RW", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RW}, stache_recall, 1, "forward:DataRW>2@180#9", REMOTE, 2, 0},
    {"BUSY-RECALL: data, Upgrade", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_UPGRADE}, stache_recall, 1, "forward:DataRW>2@180#9", REMOTE, 2, 0},
    {"BUSY-RECALL: data, home load", {.state = BUSY_RECALL, .owner = 1, .req = 0, .want = WANT_RO}, stache_recall, 1, "put(I,RW)@180+128#9", ALONE, -1, 0},
    {"BUSY-RECALL: data, home store", {.state = BUSY_RECALL, .owner = 1, .req = 0, .want = WANT_RW, .home_asks = 1 << WANT_RW}, stache_recall, 1, "put(I,RW)@180+128#9", ALONE, -1, 0},
    {"BUSY-RECALL: part, Get RO", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RO}, stache_recall_part, 1, "copy:DataRO/part>2@180#9 put(part)@180#9", BUSY_RECALL, 1, 0, .shift = 8, .taken = 1},
    {"BUSY-RECALL: part, Get RW", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RW}, stache_recall_part, 1, "forward:DataRW/part>2@180#9", BUSY_RECALL, 1, 0, .shift = 8, .taken = 1},
    {"BUSY-RECALL: part, home", {.state = BUSY_RECALL, .owner = 1, .req = 0, .want = WANT_RW}, stache_recall_part, 1, "put(part)@180#9", BUSY_RECALL, 1, 0, .shift = 8, .taken = 1},
    {"BUSY-RECALL: Get RW waits", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RW}, stache_get_rw, 3, "", BUSY_RECALL, 1, 0},
    {"SHARED: ack nobody waits for is an event", {.state = SHARED, .sharers = 2}, stache_ack, 1, "error", SHARED, -1, 2},
};

/* Places for the answers that a state still waits for. */
static int taken_in(int state, const struct stache_dir *d, uint32_t parts) {
    return state == BUSY_INV ? d->acks : state == BUSY_RECALL ? (int)parts : 0;
}

static void one_row(const struct home_row *r) {
    fresh(r->shift ? r->shift : 7);
    struct tt_page *p = tt_page_of(AT_HOME);
    struct stache_dir *d = stache_dir_of(p, AT_HOME);
    *d = r->before;
    enum tt_kind before = d->state == BUSY_RECALL ? TT_RECALLED : TT_WORD;
    TT.places[before].spare -= taken_in(d->state, d, parts_of(p));
    event(r->event, AT_HOME, r->source);
    enum tt_kind after = d->state == BUSY_RECALL ? TT_RECALLED : TT_WORD;
    int taken = r->taken ? r->taken : taken_in(d->state, d, parts_of(p));
    int places = places_taken(after) == taken && places_taken(TT_BLOCK) == 0 && (before == after || places_taken(before) == 0);
    row(r->name, r->done, d->state == r->state && (r->owner < 0 || d->owner == r->owner) && d->sharers == r->sharers && places);
}

static unsigned waiting(const struct stache_dir *d) {
    unsigned n = 0;
    for (uint32_t i = d->head; i; i = TT.waiters[i].next)
        n++;
    return n;
}

/* The block is at site 1. */
static struct stache_dir *fresh_remote(void) {
    fresh(7);
    struct stache_dir *d = stache_dir_of(tt_page_of(AT_HOME), AT_HOME);
    d->state = REMOTE;
    d->owner = 1;
    return d;
}

/* A request that waited is served, in order, when the block is free again. One is enough for all CPUs of the home. */
static void requests_wait_in_order(void) {
    struct stache_dir *d = fresh_remote();
    event(stache_get_ro, AT_HOME, 2);
    event(stache_get_ro, AT_HOME, 3);
    event(stache_get_rw, AT_HOME, 1);
    event(tt_on_write_fault, AT_HOME, 0);
    event(tt_on_write_fault, AT_HOME, 0); /* a second CPU of the home joins */
    row("BUSY: requests wait in order (1)", "InvalRW>1@180", d->state == BUSY_RECALL && waiting(d) == 3);
    event(stache_recall, AT_HOME, 1);
    row("BUSY: requests wait in order (2)",
        "copy:DataRO>2@180#9 put(I,RO)@180+128#9 get(RO,RO)DataRO>3@180+128 InvalRO>2@180 InvalRO>3@180", d->state == BUSY_INV);
    event(stache_ack, AT_HOME, 3);
    event(stache_ack, AT_HOME, 2);
    row("BUSY: requests wait in order (3)", "get(RO,I)DataRW>1@180+128 InvalRW>1@180", d->state == BUSY_RECALL);
    event(stache_recall, AT_HOME, 1);
    row("BUSY: requests wait in order (4)", "put(I,RW)@180+128#9", d->state == ALONE && d->head == 0 && d->home_asks == 0);
}

/* A write behind a write: the block is recalled from whom it has just been sent to. */
static void next_writer_has_it_from_the_last(void) {
    struct stache_dir *d = fresh_remote();
    event(stache_get_rw, AT_HOME, 2);
    event(stache_get_rw, AT_HOME, 3);
    event(stache_recall, AT_HOME, 1);
    row("BUSY: a writer waits for a writer", "InvalRW>1@180 forward:DataRW>2@180#9 InvalRW>2@180",
        d->state == BUSY_RECALL && d->owner == 2 && d->req == 3 && waiting(d) == 0);
}

/* What the home got for another's request is enough for its own load: nothing of it waits on, or more could wait than sites x aPs. */
static void home_waits_no_longer_than_its_accesses(void) {
    struct stache_dir *d = fresh_remote();
    event(stache_get_ro, AT_HOME, 2);
    event(stache_get_rw, AT_HOME, 3);
    event(tt_on_read_fault, AT_HOME, 0);
    row("BUSY: home waits with its accesses (1)", "InvalRW>1@180", d->state == BUSY_RECALL && waiting(d) == 2);
    event(stache_recall, AT_HOME, 1);
    row("BUSY: home waits with its accesses (2)", "copy:DataRO>2@180#9 put(I,RO)@180+128#9 InvalRO>2@180",
        d->state == BUSY_INV && waiting(d) == 0 && d->tail == 0 && d->home_asks == 0);
    event(tt_on_write_fault, AT_HOME, 0);
    event(tt_on_read_fault, AT_HOME, 0); /* the store's request is enough */
    row("BUSY: home waits with its accesses (3)", "", waiting(d) == 1);
    event(stache_ack, AT_HOME, 2);
    event(stache_recall, AT_HOME, 3);
    row("BUSY: home waits with its accesses (4)", "get(RO,I)DataRW>3@180+128 InvalRW>3@180 put(I,RW)@180+128#9",
        d->state == ALONE && d->head == 0 && d->home_asks == 0);
}

void home_rows(void) {
    table("home", sizeof rows / sizeof rows[0]);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        one_row(&rows[i]);
    static const struct sequence orders[] = {{requests_wait_in_order, 4}, {next_writer_has_it_from_the_last, 1}, {home_waits_no_longer_than_its_accesses, 4}};
    SEQUENCES("home order", orders);
}
