/** \file
 * Pages: who is home, with which block size, and the opening of a page at its first touch (BZ-04, BZ-05, BZ-26, BZ-27).
 *
 * Each page has a *registry* at site (page mod sites), which alone decides its home and block size. A site that touches an
 * unopened page, or is asked for one, asks the registry and opens the page when the answer comes.
 */
#include "events.h"
#include "tempest.h"

/* PAGE_INFO word: mode << 28 | page address [27:12] | page address [28] << 11 | floating << 10 | owner-is-site-0 << 9 |
 * log2 of lines a block << 6 | home. The address above bit 28 is the heap's. */
enum { INFO_HOME = 0x3F, INFO_SIZE_AT = 6, INFO_OWNER0 = 1 << 9, INFO_FLOATING = 1 << 10, INFO_MODE_AT = 28, INFO_PAGE = 0x0FFFF000 };
static uint32_t info_of(uint32_t a) { return (a & INFO_PAGE) | (a >> 28 & 1) << 11; }
static uint32_t address_of(uint32_t info) { return (TT.heap & 0xE0000000) | (info >> 11 & 1) << 28 | (info & INFO_PAGE); }

static uint32_t page_index(const struct tt_page *p) { return p >= TT.pages && p < TT.pages + TT_PAGES ? (uint32_t)(p - TT.pages) : tt_far_index(p); }
static struct tt_registry *registry_at(uint32_t index) { return index < TT_PAGES ? &TT.registry[index] : tt_far_registry(index); }
static uint32_t page_address(const struct tt_page *p) { return TT.heap + (page_index(p) << TT_PAGE_SHIFT); }
static uint32_t registry_of(const struct tt_page *p) { return page_index(p) % TT.sites; }

static const struct tt_side *side_of(const struct tt_page *p) {
    const struct tt_mode *m = TT.modes[p->mode].mode;
    return p->state == TT_HOME ? &m->home : &m->copy;
}

/* What an event of the page brings from now on. */
static void tell_hardware(const struct tt_page *p) {
    const int banked = TT.page_count > NIU_BANK_PAGES;

    /* The hardware takes a row from the address, which in a heap of less than a bank does not begin with row 0. */
    niu_page(banked ? page_index(p) : page_address(p) >> TT_PAGE_SHIFT, banked, tt_context(p), p->home, p->shift - 6, p->state_log2, p->user);
}

void tt_home_moved(uint32_t a, uint32_t home) {
    tt_page_of(a)->home = home;
    tell_hardware(tt_page_of(a));
    niu_about(a); /* it looked the page up when it took the event */
}

static uint32_t log2_of(uint32_t bytes) {
    uint32_t log2 = 0;
    while (1u << log2 < bytes)
        log2++;
    return log2;
}

static void page_open(struct tt_page *p, uint32_t home, uint32_t owner) {
    p->home = home;
    p->state = home == TT.site ? TT_HOME : TT_REMOTE;
    p->state_log2 = log2_of(side_of(p)->state_bytes);
    p->user = tt_alloc(tt_page_blocks(p) << p->state_log2);
    const struct tt_mode *m = TT.modes[p->mode].mode;
    enum tt_tag tag = m->open ? m->open(p, owner) : side_of(p)->tag;
    tell_hardware(p);
    niu_page_tags(page_address(p), tag);
    for (uint32_t i = 0; i < TT.deferred_count;) {
        struct tt_deferred ready = TT.deferred[i];
        if (tt_page_of(ready.a) != p) {
            i++;
            continue;
        }
        TT.deferred_count--;
        for (uint32_t k = i; k < TT.deferred_count; k++)
            TT.deferred[k] = TT.deferred[k + 1];
        niu_event(ready.a, ready.meta);
        tt_context_handler(tt_context(p), EVENT_MESSAGE + tt_type_of(ready.meta))(ready.a, ready.meta);
    }
}

/* The registry's decision for `asker`: the PAGE_INFO word without the address. */
static uint32_t decide(const struct tt_page *p, uint32_t asker) {
    struct tt_registry *r = registry_at(page_index(p));
    uint32_t owner0 = 0;
    if (r->home == TT_NO_SITE) {
        if (TT.home_policy == TT_ROUND_ROBIN)
            r->home = page_index(p) % TT.sites;
        else if (TT.parallel)
            r->home = asker;
        else { /* BZ-27: all pages at site 0 until the parallel phase */
            r->home = 0;
            r->floating = TT.modes[r->mode].mode->leave != 0;
        }
    } else if (r->floating && TT.parallel) {
        r->floating = 0;
        r->home = asker;
        owner0 = asker ? INFO_OWNER0 : 0;
    }
    const uint32_t most = TT.modes[r->mode].most_log2, log2 = r->log2 < most ? r->log2 : most;
    return r->home | log2 << INFO_SIZE_AT | owner0 | (r->floating ? INFO_FLOATING : 0) | (uint32_t)r->mode << INFO_MODE_AT;
}

static void open_by_info(struct tt_page *p, uint32_t info) {
    p->floating = (info & INFO_FLOATING) != 0;
    if (p->state == TT_HOME || p->state == TT_REMOTE)
        return;
    p->shift = (info >> INFO_SIZE_AT & 7) + 6;
    p->mode = info >> INFO_MODE_AT;
    page_open(p, info & INFO_HOME, info & INFO_OWNER0 ? 0 : TT_NO_SITE);
}

void tt_page_touch(struct tt_page *p, uint32_t a) {
    (void)a;
    if (p->state != TT_UNMAPPED)
        return;
    if (registry_of(p) == TT.site) {
        open_by_info(p, decide(p, TT.site));
        return;
    }
    p->state = TT_ASKED;
    TT.stats.page_messages++;
    tt_ask(registry_of(p), TT_PAGE_ASK, page_address(p));
}

void tt_page_defer(uint32_t a, uint32_t meta) {
    if (TT.deferred_count == TT_DEFERRED)
        tt_panic("more requests wait for unopened pages than sites x aPs allow: address, meta", a, meta);
    TT.deferred[TT.deferred_count++] = (struct tt_deferred){a, meta};
    tt_page_touch(tt_page_of(a), a);
}

void tt_on_page_fault(uint32_t a, uint32_t meta) {
    (void)meta;
    tt_page_touch(tt_page_of(a), a);
}

void tt_on_page_ask(uint32_t a, uint32_t meta) {
    TT.stats.page_messages++;
    tt_reply(tt_source(meta), TT_PAGE_INFO, info_of(a) | decide(tt_page_of(a), tt_source(meta)));
}

void tt_on_page_info(uint32_t word, uint32_t meta) {
    (void)meta;
    open_by_info(tt_page_of(address_of(word)), word);
    tt_answered(TT_WORD, 1);
}

/** PAGE_SET (contract §8): 0 done, 1 already touched, 2 illegal value. */
uint32_t tt_page_set(uint32_t data) {
    uint32_t index = (data & 0xFFFF) | data >> 31 << 16, log2 = data >> 16 & 15, home = data >> 20 & 63, mode = data >> 27 & 15;
    if (index >= TT.page_count || mode >= TT.mode_count || (log2 && log2 - 6 > TT.modes[mode].most_log2) || (log2 && (log2 < 6 || log2 > 11)) || home >= TT.sites || index % TT.sites != TT.site)
        return 2;
    struct tt_registry *r = registry_at(index);
    if (r->home != TT_NO_SITE)
        return 1;
    if (log2)
        r->log2 = log2 - 6;
    if (data >> 26 & 1)
        r->home = home;
    r->mode = mode;
    return 0;
}

/* A page that site 0 opened for want of a better home. */
static void leave(struct tt_page *p) {
    if (p->state != TT_HOME || !p->floating)
        return;
    p->state = TT_REMOTE;
    p->home = TT_NO_SITE;
    p->state_log2 = log2_of(side_of(p)->state_bytes);
    TT.modes[p->mode].mode->leave(p);
    tell_hardware(p);
}

/** The parallel phase begins (BZ-27): pages that site 0 opened for want of a better home get one at their next touch. */
void tt_page_parallel(void) {
    if (TT.parallel)
        return;
    TT.parallel = 1;
    for (uint32_t i = 0; i < TT_PAGES; i++)
        leave(&TT.pages[i]);
    for (uint32_t i = tt_far_next(TT_PAGES); i < TT.page_count; i = tt_far_next(i + 1))
        leave(tt_far_page(i));
}
