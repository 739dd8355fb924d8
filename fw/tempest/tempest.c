/** \file State, waiting lists, memory. */
#include "tempest.h"

void tt_state_init(uint32_t site, const struct tt_config *config) {
    TT.site = site;
    TT.sites = config->sites;
    TT.aps = config->aps;
    TT.home_policy = config->home_policy;
    TT.heap = config->heap;
    TT.heap_end = config->heap_end;
    TT.memory_end = config->memory_end;
    TT.page_count = (config->heap_end - config->heap) >> TT_PAGE_SHIFT;
    TT.far_bytes = tt_far_bytes();
    tt_image_init();
    /* The longest part of the start of every run: unrolled, and a record put together once. */
    const struct tt_registry fresh = {.home = TT_NO_SITE, .log2 = config->block_log2 - 6};
    TT.fresh_registry = fresh;
    struct tt_registry *r = TT.registry;
    struct tt_page *p = TT.pages;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < TT_PAGES; i++) {
        p++->home = TT_NO_SITE;
        *r++ = fresh;
    }
    for (uint32_t i = 1; i < TT_WAITERS; i++)
        TT.waiters[i].next = i + 1 < TT_WAITERS ? i + 1 : 0;
    TT.waiter_free = 1;
}

void tt_wait_push(uint8_t *head, uint8_t *tail, uint32_t who, uint32_t kind) {
    uint32_t i = TT.waiter_free;
    if (i == 0)
        tt_panic("more waiting requests than sites x aPs allow", who, kind);
    TT.waiter_free = TT.waiters[i].next;
    TT.waiters[i] = (struct tt_waiter){.who = who, .kind = kind, .next = 0};
    if (*head == 0)
        *head = i;
    else
        TT.waiters[*tail].next = i;
    *tail = i;
}

struct tt_waiter tt_wait_pop(uint8_t *head, uint8_t *tail) {
    uint32_t i = *head;
    struct tt_waiter w = TT.waiters[i];
    *head = w.next;
    if (w.next == 0)
        *tail = 0;
    TT.waiters[i].next = TT.waiter_free;
    TT.waiter_free = i;
    return w;
}

void tt_wait_remove(uint8_t *head, uint8_t *tail, uint32_t who, uint32_t kind) {
    uint32_t before = 0;
    for (uint32_t i = *head; i; before = i, i = TT.waiters[i].next) {
        if (TT.waiters[i].who != who || TT.waiters[i].kind != kind)
            continue;
        uint8_t *link = before ? &TT.waiters[before].next : head;
        *link = TT.waiters[i].next;
        if (*tail == i)
            *tail = before;
        TT.waiters[i].next = TT.waiter_free;
        TT.waiter_free = i;
        return;
    }
}

/* Offsets count through the pool and then through DRAM behind the records of pages; both begin at a multiple of the largest states of a page. */
static uint32_t *memory_at(uint32_t offset) {
    return (uint32_t *)(offset < NIU_POOL_BYTES ? NIU_POOL_BASE + offset : NIU_DRAM_BASE + TT.far_bytes + (offset - NIU_POOL_BYTES));
}

/* States of a page are a power of two and lie at a multiple of it (PAGE_STATE); the gap that this leaves serves smaller ones. */
static uint32_t take(uint32_t bytes) {
    const uint32_t at = (TT.gap + bytes - 1) & -bytes;
    if (at + bytes <= TT.gap_end) {
        TT.gap = at + bytes;
        return at;
    }
    uint32_t start = (TT.memory_used + bytes - 1) & -bytes;
    if (start < NIU_POOL_BYTES && start + bytes > NIU_POOL_BYTES)
        start = NIU_POOL_BYTES;
    const uint32_t all = NIU_POOL_BYTES + NIU_DRAM_BYTES - TT.far_bytes;
    if (start + bytes > all)
        tt_panic("no memory left for the directory: bytes asked, bytes in all", bytes, all);
    if (start - TT.memory_used > TT.gap_end - TT.gap) {
        TT.gap = TT.memory_used;
        TT.gap_end = start;
    }
    TT.memory_used = start + bytes;
    return start;
}

void *tt_alloc(uint32_t bytes) {
    uint32_t size = 8;
    while (size < bytes)
        size *= 2;
    uint32_t *p = memory_at(take(size));
    for (uint32_t i = 0; i < size / 4; i++)
        p[i] = 0;
    return p;
}
