/** \file Stache at the page's home: the first table of docs/reference/stache.md. */
#include "stache.h"

static int busy(const struct stache_dir *d) { return d->state >= BUSY_INV; }
static uint64_t bit(uint32_t site) { return (uint64_t)1 << site; }

/* SHARED with no other sharer left: another site becomes the only holder. */
static inline __attribute__((always_inline)) void give_exclusive(struct stache_dir *d, uint32_t a, uint32_t who, enum stache_want want) {
    if (want == WANT_UPGRADE) {
        tt_downgrade_send(a, TT_READ_ONLY, TT_INVALID, who, STACHE_GRANT);
        tt_count(GRANT);
    } else {
        tt_get_send(a, TT_READ_ONLY, TT_INVALID, who, STACHE_DATA_RW);
    }
    d->sharers = 0;
    d->state = REMOTE;
    d->owner = who;
}
/* The same for any requester. */
static void grant_exclusive(struct stache_dir *d, uint32_t a, uint32_t who, enum stache_want want) {
    if (who == TT.site) {
        tt_upgrade(a, TT_READ_ONLY, TT_READ_WRITE);
        d->sharers = 0;
        d->state = ALONE;
        d->home_asks &= ~(1 << want);
    } else {
        give_exclusive(d, a, who, want);
    }
}

static void invalidated_for(struct stache_dir *d, uint32_t who, enum stache_want want, uint32_t acks) {
    d->state = BUSY_INV;
    d->req = who;
    d->want = want;
    d->acks = acks;
    tt_count_many(INVAL_RO, acks);
}
static void recalled_for(struct stache_dir *d, uint32_t who, enum stache_want want) {
    d->state = BUSY_RECALL;
    d->req = who;
    d->want = want;
    tt_count(INVAL_RW);
}

/* One request in a state that is not BUSY. Inlined where `want` is a constant: a remote miss waits for it. */
static inline __attribute__((always_inline)) void serve(struct stache_dir *d, uint32_t a, uint32_t who, enum stache_want want) {
    switch (d->state) {
    case ALONE:
        if (want == WANT_RO) {
            tt_get_send(a, TT_READ_WRITE, TT_READ_ONLY, who, STACHE_DATA_RO);
            d->sharers = bit(who);
            d->state = SHARED;
        } else {
            tt_get_send(a, TT_READ_WRITE, TT_INVALID, who, STACHE_DATA_RW);
            d->owner = who;
            d->state = REMOTE;
        }
        return;

    case SHARED:
        if (want == WANT_RO) {
            if (who == TT.site) {
                d->home_asks &= ~(1 << want);
                return;
            }
            tt_get_send(a, TT_READ_ONLY, TT_READ_ONLY, who, STACHE_DATA_RO);
            d->sharers |= bit(who);
            return;
        }
        if (who != TT.site && !(d->sharers & bit(who)))
            want = WANT_RW; /* upgrade of a copy that is gone */
        uint64_t others = d->sharers & ~bit(who);
        if (!others) {
            grant_exclusive(d, a, who, want);
            return;
        }
        invalidated_for(d, who, want, tt_ask_all(&d->sharers, others, STACHE_INVAL_RO, a));
        return;

    case REMOTE:
        tt_recall(d->owner, STACHE_INVAL_RW, a);
        recalled_for(d, who, want);
        return;
    }
}

/* A request was completed: those that waited, in order, until one makes the block busy again. */
static void next(struct stache_dir *d, uint32_t a) {
    while (d->head && !busy(d)) {
        struct tt_waiter w = tt_wait_pop(&d->head, &d->tail);
        serve(d, a, w.who, w.kind);
    }
}

static inline __attribute__((always_inline)) void request(uint32_t a, uint32_t meta, enum stache_want want) {
    struct stache_dir *d = tt_state();
    if (busy(d))
        tt_wait_push(&d->head, &d->tail, tt_source(meta), want);
    else
        serve(d, a, tt_source(meta), want);
}

static __attribute__((noinline)) void get_ro_slowly(uint32_t a, uint32_t meta) { request(a, meta, WANT_RO); }
static __attribute__((noinline)) void get_rw_slowly(uint32_t a, uint32_t meta) { request(a, meta, WANT_RW); }
static __attribute__((noinline)) void upgrade_slowly(uint32_t a, uint32_t meta) { request(a, meta, WANT_UPGRADE); }

/* The clean remote read (docs/reference/nine-stages.md): its two rows, ALONE and SHARED, with as little before the launch as can be. */
void stache_get_ro(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    if (d->state == SHARED) {
        tt_get_reply(a, TT_READ_ONLY, TT_READ_ONLY, meta, STACHE_DATA_RO);
        d->sharers |= bit(tt_source(meta));
    } else if (d->state == ALONE) {
        tt_get_reply(a, TT_READ_WRITE, TT_READ_ONLY, meta, STACHE_DATA_RO);
        d->sharers = bit(tt_source(meta));
        d->state = SHARED;
    } else {
        get_ro_slowly(a, meta);
    }
}

/* A write to a block that another owns, and one to a block that one other reads (docs/design/remote-write.md): their usual rows. */
void stache_get_rw(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    if (d->state == REMOTE && tt_may_ask(TT_RECALLED)) {
        tt_recall_now(d->owner, STACHE_INVAL_RW, a);
        recalled_for(d, tt_source(meta), WANT_RW);
    } else {
        get_rw_slowly(a, meta);
    }
}
void stache_upgrade(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    const uint32_t who = tt_source(meta), low = (uint32_t)d->sharers, others = low & ~(1u << who % 32);
    if (d->state == SHARED && others && !(others & (others - 1)) && others != low && who < 32 && !(d->sharers >> 32) && tt_may_ask(TT_WORD)) {
        tt_ask_now(tt_bit_number(others), STACHE_INVAL_RO, a);
        d->sharers = 0;
        invalidated_for(d, who, WANT_UPGRADE, 1);
    } else {
        upgrade_slowly(a, meta);
    }
}

/* Home's own faults. Several CPUs may fault on the block: one request of each kind is enough, the NIU wakes them all, and a store's is
 * enough for loads. */
static void home_fault(uint32_t a, enum stache_want want) {
    struct stache_dir *d = tt_state();
    if (d->state == ALONE || (d->state == SHARED && want == WANT_RO) || d->home_asks >> want)
        return;
    d->home_asks |= 1 << want;
    if (busy(d))
        tt_wait_push(&d->head, &d->tail, TT.site, want);
    else
        serve(d, a, TT.site, want);
}

void stache_home_read(uint32_t a, uint32_t meta) {
    TT.stats.read_faults++;
    home_fault(a, WANT_RO);
}
void stache_home_write(uint32_t a, uint32_t meta) {
    TT.stats.write_faults++;
    home_fault(a, WANT_RW);
}

static __attribute__((noinline)) void ack_slowly(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    if (d->state != BUSY_INV || d->acks == 0) {
        tt_error("Ack for a block that waits for none: address, source", a, tt_source(meta));
        return;
    }
    uint32_t left = --d->acks;
    if (left == 0) {
        d->state = SHARED;
        grant_exclusive(d, a, d->req, d->want);
    }
    tt_answered(TT_WORD, 1);
    if (left == 0)
        next(d, a);
}

/* BUSY-INV: the last ack grants. Nobody waits, and the home asks for nothing: the usual row. */
void stache_ack(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    if (d->state == BUSY_INV && d->acks == 1 && !d->home_asks && !d->head) {
        give_exclusive(d, a, d->req, d->want);
        d->acks = 0;
        tt_answered(TT_WORD, 1);
    } else {
        ack_slowly(a, meta);
    }
}

/* "None": the sharer had no copy, which is as good as an ack; an owner without its copy is impossible. */
void stache_none(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    if (d->state == BUSY_RECALL)
        tt_panic("the owner has no copy of the block: address, owner", a, tt_source(meta));
    ack_slowly(a, meta);
}

/* What the home got for one request serves another of its own, which would wait on although no access stands behind it: so at a block
 * never more requests wait than sites x aPs. */
static void served_too(struct stache_dir *d, enum stache_want want) {
    if (d->home_asks & 1 << want) {
        tt_wait_remove(&d->head, &d->tail, TT.site, want);
        d->home_asks &= ~(1 << want);
    }
}

/* BUSY-RECALL: data goes on to the requester at once; home's memory takes a copy only if its tag will allow reading. */
void stache_recall_part(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    if (d->req == TT.site) {
        tt_put_part(a);
    } else if (d->want == WANT_RO) {
        tt_forward_keep(a, d->req, STACHE_DATA_RO | TT_PART);
        tt_put_part(a);
    } else {
        tt_forward(a, d->req, STACHE_DATA_RW | TT_PART);
    }
    tt_answered(TT_RECALLED, 1);
}

static __attribute__((noinline)) void recall_slowly(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    if (d->state != BUSY_RECALL) {
        tt_error("recalled data for a block that waits for none: address, source", a, tt_source(meta));
        return;
    }
    uint32_t who = d->req;
    if (who == TT.site) {
        tt_put(a, TT_INVALID, TT_READ_WRITE);
        d->state = ALONE;
        d->home_asks &= ~(1 << d->want);
        served_too(d, WANT_RW);
    } else {
        tt_count_block();
        if (d->want == WANT_RO) {
            tt_forward_keep(a, who, STACHE_DATA_RO);
            tt_put(a, TT_INVALID, TT_READ_ONLY);
            d->sharers = bit(who);
            d->state = SHARED;
            served_too(d, WANT_RO);
        } else {
            tt_forward(a, who, STACHE_DATA_RW);
            d->owner = who;
            d->state = REMOTE;
        }
    }
    tt_answered(TT_RECALLED, 1);
    next(d, a);
}

/* For another's write, nobody waiting: the usual row. */
void stache_recall(uint32_t a, uint32_t meta) {
    struct stache_dir *d = tt_state();
    if (d->state == BUSY_RECALL && d->want != WANT_RO && !d->home_asks && !d->head) {
        tt_forward(a, d->req, STACHE_DATA_RW);
        d->owner = d->req;
        d->state = REMOTE;
        tt_count_block();
        tt_answered(TT_RECALLED, 1);
    } else {
        recall_slowly(a, meta);
    }
}

/* A first-touch page that moved here: `owner` holds every block. */
uint8_t stache_opened(struct tt_page *p, uint32_t owner) {
    if (p->state != TT_HOME)
        return TT_INVALID;
    if (owner == TT_NO_SITE)
        return TT_READ_WRITE;
    struct stache_dir *d = p->user;
    for (uint32_t i = 0; i < tt_page_blocks(p); i++) {
        d[i].state = REMOTE;
        d[i].owner = owner;
    }
    return TT_INVALID;
}

void stache_left(struct tt_page *p) {
    uint8_t *copy = p->user; /* the directory's memory is more than enough */
    for (uint32_t i = 0; i < tt_page_blocks(p); i++)
        copy[i] = C_RW;
}
