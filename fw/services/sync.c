/** \file Queue locks and barriers as messages (BZ-28): round-robin (arrival order) locks, barriers gathered at site 0. */
#include "events.h"
#include "services.h"
#include "tempest.h"

/* aP 0's place in a site's names (contract §4). */
enum { FIRST_AP = 2 };

static uint32_t source_name(uint32_t meta) { return meta >> 15 & 0x1FF; }

static void answer(uint32_t who, uint32_t tag, uint32_t word) {
    tt_answer_name(who, tag, word);
    TT.stats.sync_messages++;
}

static struct tt_lock *lock_of(uint32_t id) {
    uint32_t i = id / TT.sites;
    if (i >= TT_LOCKS || id % TT.sites != TT.site)
        tt_panic("lock id out of range: id, locks in all", id, TT_LOCKS * TT.sites);
    return &TT.locks[i];
}

void service_lock_acquire(uint32_t id, uint32_t meta) {
    struct tt_lock *l = lock_of(id);
    if (l->owner == 0) {
        l->owner = source_name(meta) + 1;
        answer(source_name(meta), SERVICE_LOCK_ACQUIRE, id);
    } else {
        tt_wait_push(&l->head, &l->tail, source_name(meta), 0);
    }
}

void service_lock_release(uint32_t id, uint32_t meta) {
    struct tt_lock *l = lock_of(id);
    if (l->owner != source_name(meta) + 1) {
        tt_error("a lock is released by one that does not hold it: id, releaser", id, source_name(meta));
        return;
    }
    if (l->head == 0) {
        l->owner = 0;
        return;
    }
    uint32_t who = tt_wait_pop(&l->head, &l->tail).who;
    l->owner = who + 1;
    answer(who, SERVICE_LOCK_ACQUIRE, id);
}

void service_barrier(uint32_t word, uint32_t meta) {
    uint32_t id = word & 0xFFFF, count = word >> 16;
    struct tt_barrier *b = 0;
    for (uint32_t i = 0; i < TT_BARRIERS; i++) {
        if (TT.barriers[i].used && TT.barriers[i].id == id) {
            b = &TT.barriers[i];
            break;
        }
        if (!b && !TT.barriers[i].used)
            b = &TT.barriers[i];
    }
    if (!b)
        tt_panic("barriers in use at once: id, most", id, TT_BARRIERS);
    if (!b->used)
        *b = (struct tt_barrier){.id = id, .count = count, .used = 1};
    if (b->count != count)
        tt_error("a barrier is entered with two counts: id, count", id, count);
    uint32_t name = source_name(meta), i = (name >> 3) * 4 + (name & 7) - FIRST_AP;
    b->waiting[i / 32] |= 1u << i % 32;
    if (++b->arrived < b->count)
        return;
    b->used = 0;
    for (uint32_t word = 0; word < 8; word++) {
        uint32_t waiting = b->waiting[word];
        for (i = word * 32; waiting; i++, waiting >>= 1)
            if (waiting & 1)
                answer((i / 4) << 3 | (i % 4 + FIRST_AP), SERVICE_BARRIER, id);
    }
}

void service_page_set(uint32_t data, uint32_t meta) { answer(source_name(meta), SERVICE_PAGE_SET, tt_page_set(data)); }

void service_parallel(uint32_t word, uint32_t meta) {
    tt_page_parallel();
    answer(source_name(meta), SERVICE_PARALLEL, word);
}
