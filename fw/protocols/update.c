/** \file
 * Write-update: copies stay readable while their home writes, and a release brings them up to date. Release consistent: a program
 * without data races that calls "update.release" at the homes of what it wrote, before it lets others read, sees every store.
 *
 * The home alone keeps the newest block. A store elsewhere is a visit: the block is lent for that access and comes back. At a release each
 * copy of a changed block is told, fetches it and acknowledges; then the caller is answered. docs/reference/update.md has both tables.
 */
#include "tempest.h"

/* Of a block at its home. Tag: Invalid if `lent`, ReadOnly if `readonly`, so that the next store is seen, else ReadWrite. */
struct block {
    uint64_t sharers;
    uint32_t next; /* changed: the next block of the list, 0 none */
    uint8_t lent : 1, readonly : 1, changed : 1;
    uint8_t head, tail; /* requests that wait for the block's return */
    uint8_t unused;
};

/* Of a copy: its tag is ReadOnly if HAVE. GETTING and VISITING: asked for, to read or to write; AGAIN: it changed meanwhile. */
enum { HAVE = 1, GETTING = 2, VISITING = 4, LENT = 8, TAKEN = 16, AGAIN = 32 };
struct copy {
    uint8_t is, owes; /* acks to the home, when the copy is up to date */
};

enum { MOST_CALLERS = 16, MOST_ACKS = 16 };
/* Of a site: changed blocks that no release has told of, acks to come, and who waits for them. */
struct site {
    uint32_t changed, acks, callers;
    uint32_t caller[MOST_CALLERS];
};

enum { GET, WRITE, TAKE, CHANGED, DATA, LEND = 6, RETURN = 8, ACK = 10 };
enum { VISITS, UPDATES };

static uint64_t bit(uint32_t site) { return (uint64_t)1 << site; }

static void change(struct block *b, uint32_t a) {
    struct site *s = tt_site_state();
    if (b->changed)
        return;
    b->changed = 1;
    b->next = s->changed;
    s->changed = a;
}

static void give(struct block *b, uint32_t a, uint32_t who, uint32_t type) {
    const enum tt_tag tag = b->readonly ? TT_READ_ONLY : TT_READ_WRITE;
    b->sharers |= bit(who);
    b->readonly = 1;
    if (type == GET) {
        tt_get_send(a, tag, TT_READ_ONLY, who, DATA);
        return;
    }
    tt_get_send(a, tag, TT_INVALID, who, LEND);
    b->lent = 1;
    change(b, a);
    tt_count(VISITS);
    tt_recall(who, TAKE, a); /* at once: it comes back when the store is done */
}
static void request(uint32_t a, uint32_t who, uint32_t type) {
    struct block *b = tt_state();
    if (b->lent)
        tt_wait_push(&b->head, &b->tail, who, type);
    else
        give(b, a, who, type);
}
static void on_get(uint32_t a, uint32_t meta) { request(a, tt_source(meta), GET); }
static void on_write(uint32_t a, uint32_t meta) { request(a, tt_source(meta), WRITE); }

/* What is lent comes back by itself, and its return judges the access again. */
static void home_read(uint32_t a, uint32_t meta) {}
static void home_write(uint32_t a, uint32_t meta) {
    struct block *b = tt_state();
    if (b->lent || !b->readonly)
        return;
    tt_upgrade(a, TT_READ_ONLY, TT_READ_WRITE);
    b->readonly = 0;
    change(b, a);
}

/* Tells the copies of changed blocks, a few at a time; what is lent waits for its return. Answers the callers when all are done. */
static void release(void) {
    struct site *s = tt_site_state();
    uint32_t lent = 0;
    while (s->callers && s->changed && s->acks < MOST_ACKS) {
        const uint32_t a = s->changed;
        struct block *b = tt_state_at(a);
        s->changed = b->next;
        if (b->lent) {
            b->next = lent;
            lent = a;
            continue;
        }
        b->changed = 0;
        for (uint32_t site = 0; site < TT.sites; site++)
            if (b->sharers >> site & 1) {
                s->acks++;
                tt_ask(site, CHANGED, a);
                tt_count(UPDATES);
            }
        b->sharers = 0; /* each comes back by its Get */
    }
    while (lent) {
        struct block *b = tt_state_at(lent);
        const uint32_t next = b->next;
        b->next = s->changed;
        s->changed = lent;
        lent = next;
    }
    if (s->changed || s->acks)
        return;
    while (s->callers)
        tt_answer(s->caller[--s->callers], 0);
}
static void on_return(uint32_t a, uint32_t meta) {
    struct block *b = tt_state();
    tt_put(a, TT_INVALID, TT_READ_WRITE);
    b->lent = 0;
    b->readonly = 0;
    tt_answered(TT_RECALLED, 1);
    while (b->head && !b->lent) {
        const struct tt_waiter w = tt_wait_pop(&b->head, &b->tail);
        give(b, a, w.who, w.kind);
    }
    release();
}
static void on_ack(uint32_t a, uint32_t meta) {
    struct site *s = tt_site_state();
    s->acks--;
    tt_answered(TT_WORD, 1);
    release();
}
static void on_release(uint32_t word, uint32_t meta) {
    struct site *s = tt_site_state();
    if (s->callers == MOST_CALLERS) {
        tt_complain("update.release: more calls at once than a site keeps", word, MOST_CALLERS);
        tt_answer(meta, 1);
        return;
    }
    s->caller[s->callers++] = meta;
    release();
}

static void get(struct copy *c, uint32_t a) {
    c->is |= GETTING;
    tt_ask_home(GET, a);
}
static void copy_read(uint32_t a, uint32_t meta) {
    struct copy *c = tt_state();
    if (!(c->is & (HAVE | GETTING | VISITING)))
        get(c, a);
}
static void copy_write(uint32_t a, uint32_t meta) {
    struct copy *c = tt_state();
    if (c->is & (GETTING | VISITING))
        return;
    c->is |= VISITING;
    tt_ask_home(WRITE, a);
}
static enum tt_tag tag_of(const struct copy *c) { return c->is & HAVE ? TT_READ_ONLY : TT_INVALID; }

/* A copy has what its home had when it sent; if that changed since, once more. */
static void fetched(struct copy *c, uint32_t a) {
    if (c->is & AGAIN) {
        c->is &= ~AGAIN;
        get(c, a);
        return;
    }
    for (; c->owes; c->owes--)
        tt_reply(tt_home(), ACK, a);
}
static void on_data(uint32_t a, uint32_t meta) {
    struct copy *c = tt_state();
    tt_put(a, tag_of(c), TT_READ_ONLY);
    c->is = (c->is | HAVE) & ~GETTING;
    tt_answered(TT_BLOCK, 1);
    fetched(c, a);
}
static void give_back(struct copy *c, uint32_t a) {
    tt_get_home(a, TT_READ_WRITE, TT_READ_ONLY, RETURN);
    c->is = (c->is | HAVE) & ~(VISITING | LENT | TAKEN);
    fetched(c, a);
}
static void on_lend(uint32_t a, uint32_t meta) {
    struct copy *c = tt_state();
    tt_put(a, tag_of(c), TT_READ_WRITE);
    tt_answered(TT_BLOCK, 1);
    c->is |= LENT;
    if (c->is & TAKEN)
        give_back(c, a);
}
static void on_take(uint32_t a, uint32_t meta) {
    struct copy *c = tt_state();
    c->is |= TAKEN;
    if (c->is & LENT)
        give_back(c, a);
}
static void on_changed(uint32_t a, uint32_t meta) {
    struct copy *c = tt_state();
    c->owes++;
    if (c->is & (GETTING | VISITING))
        c->is |= AGAIN;
    else
        get(c, a);
}

#ifdef TT_WORKSTATION
/* At rest the home knows of every copy: who is not told of a change would read old data for ever. */
static const char *invariant(uint32_t a, uint32_t sites, const uint8_t *tags, int rest) {
    uint64_t have = 0, known = 0;
    for (uint32_t site = 0; rest && site < sites; site++) {
        const struct tt_page *p = tt_page_at(site, a);
        if (p->state == TT_HOME)
            known = ((struct block *)p->user)[tt_block_index(p, a)].sharers;
        else if (p->state == TT_REMOTE && ((struct copy *)p->user)[tt_block_index(p, a)].is & HAVE)
            have |= bit(site);
    }
    return have & ~known ? "at rest a site has a copy of which the home does not know" : 0;
}
#endif

const struct tt_protocol update = {
    .name = "update",
    .site_bytes = sizeof(struct site),
    .modes = {{"update", .home = {home_read, home_write, TT_READ_WRITE, sizeof(struct block)}, .copy = {copy_read, copy_write, TT_INVALID, sizeof(struct copy)},
               .consistency = TT_RELEASE}},
    .messages = {[GET] = {"Get", on_get, TT_LOW, .stage = TT_READ_ASKED},
                 [WRITE] = {"Write", on_write, TT_LOW},
                 [TAKE] = {"Take", on_take, TT_LOW},
                 [CHANGED] = {"Changed", on_changed, TT_LOW},
                 [DATA] = {"Data", on_data, TT_HIGH, .data = 1, .stage = TT_READ_DATA},
                 [LEND] = {"Lend", on_lend, TT_HIGH, .data = 1},
                 [RETURN] = {"Return", on_return, TT_HIGH, .data = 1},
                 [ACK] = {"Ack", on_ack, TT_HIGH}},
    .counters = {[VISITS] = "visits", [UPDATES] = "updates"},
    .services = {{"release", on_release}},
    TT_INVARIANT(invariant)};
