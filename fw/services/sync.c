/** \file
 * Queue locks and barriers as messages (BZ-28): round-robin (arrival order) locks, barriers gathered at site 0. Whoever asks may be hostile:
 * what is wrong is answered SERVICE_REFUSED and counted, and changes nothing.
 */
#include "services.h"
#include "tempest.h"

/* aP 0's place in a site's names (contract §4). */
enum { FIRST_AP = 2 };

static uint32_t source_name(uint32_t meta) { return meta >> 15 & 0x1FF; }
static uint32_t tag_of(uint32_t meta) { return meta >> 25 & 31; }
static uint32_t ap_of(uint32_t name) { return (name >> 3) * 4 + (name & 7) - FIRST_AP; }
static uint32_t name_of(uint32_t ap) { return ap / 4 << 3 | (ap % 4 + FIRST_AP); }

static void answer(uint32_t who, uint32_t tag, uint32_t word) {
    tt_answer_name(who, tag, word);
    TT.stats.sync_messages++;
}

static void refuse(const char *what, uint32_t word, uint32_t tag, uint32_t meta) {
    tt_complain(what, word, source_name(meta));
    answer(source_name(meta), tag, SERVICE_REFUSED);
}

static int waits(uint32_t ap) { return TT.sync.waits[ap / 32] >> ap % 32 & 1; }

/* `ap` waits behind `last` (aP + 1, 0 nobody); returns the new last. */
static uint32_t wait_behind(uint32_t last, uint32_t ap) {
    TT.sync.next[ap] = last ? TT.sync.next[last - 1] : ap;
    if (last)
        TT.sync.next[last - 1] = ap;
    TT.sync.waits[ap / 32] |= 1u << ap % 32;
    return ap + 1;
}

/* The first of those whose last is `last` waits no more. */
static uint32_t first_of(uint32_t last) {
    uint32_t ap = TT.sync.next[last - 1];
    TT.sync.next[last - 1] = TT.sync.next[ap];
    TT.sync.waits[ap / 32] &= ~(1u << ap % 32);
    return ap;
}

static struct sync_lock *lock_of(uint32_t id) {
    uint32_t i = id / TT.sites;
    return i < SYNC_LOCKS && id % TT.sites == TT.site ? &TT.sync.locks[i] : 0;
}

void service_lock_acquire(uint32_t id, uint32_t meta) {
    struct sync_lock *l = lock_of(id);
    uint32_t ap = ap_of(source_name(meta));
    if (!l) {
        refuse("a lock that is not here: id, asker", id, SERVICE_LOCK_ACQUIRE, meta);
    } else if (waits(ap)) {
        refuse("an aP that waits asks for a lock: id, asker", id, SERVICE_LOCK_ACQUIRE, meta);
    } else if (l->owner == 0) {
        l->owner = ap + 1;
        answer(source_name(meta), SERVICE_LOCK_ACQUIRE, id);
    } else {
        l->last = wait_behind(l->last, ap);
    }
}

void service_lock_release(uint32_t id, uint32_t meta) {
    struct sync_lock *l = lock_of(id);
    if (!l || l->owner != ap_of(source_name(meta)) + 1) {
        refuse("a lock is released by one that does not hold it: id, releaser", id, SERVICE_LOCK_RELEASE, meta);
        return;
    }
    if (l->last == 0) {
        l->owner = 0;
        return;
    }
    uint32_t next = first_of(l->last);
    if (next + 1u == l->last)
        l->last = 0;
    l->owner = next + 1;
    answer(name_of(next), SERVICE_LOCK_ACQUIRE, id);
}

void service_barrier(uint32_t word, uint32_t meta) {
    uint32_t id = word & 0xFFFF, count = word >> 16, ap = ap_of(source_name(meta));
    struct sync_barrier *b = TT.sync.barriers, *end = b + TT.sync.barriers_used;
    while (b < end && b->id != id)
        b++;
    if (TT.site != 0 || count == 0 || count > TT.sites * TT.aps || (b < end && b->count != count)) {
        refuse("a barrier with an impossible count, or two, or not at site 0: word, asker", word, SERVICE_BARRIER, meta);
        return;
    }
    if (waits(ap)) {
        refuse("an aP that waits enters a barrier: word, asker", word, SERVICE_BARRIER, meta);
        return;
    }
    if (b == end) {
        *b = (struct sync_barrier){.id = id, .count = count};
        TT.sync.barriers_used++;
    }
    b->last = wait_behind(b->arrived ? b->last + 1u : 0, ap) - 1;
    if (++b->arrived < b->count)
        return;
    uint32_t last = b->last + 1u;
    *b = TT.sync.barriers[--TT.sync.barriers_used];
    for (; count; count--)
        answer(name_of(first_of(last)), SERVICE_BARRIER, id);
}

void service_page_set(uint32_t data, uint32_t meta) { answer(source_name(meta), SERVICE_PAGE_SET, tt_page_set(data)); }

void service_parallel(uint32_t word, uint32_t meta) {
    if (source_name(meta) != name_of(0)) {
        refuse("only process 0 says when the parallel part begins: word, asker", word, SERVICE_PARALLEL, meta);
        return;
    }
    tt_page_parallel();
    answer(source_name(meta), SERVICE_PARALLEL, word);
}

void service_unknown(uint32_t word, uint32_t meta) { refuse("no service has this tag: word, asker", word, tag_of(meta), meta); }
