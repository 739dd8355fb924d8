/* Locks and barriers as turnstile_service.h promises them; anything else from an aP is an error of the runtime. */
#include "services.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../../apps/include/turnstile_job.h"
#include "../../../apps/include/turnstile_service.h"

static struct lock {
    uint32_t owner, waiting[TS_MAX_PROCESSES], first, last; /* owner: process + 1, 0 free */
} locks[TS_SVC_LOCKS * 64];
static struct barrier {
    uint32_t processes, arrived, who[TS_MAX_PROCESSES];
} barriers[TS_SVC_BARRIERS];
static uint32_t site_count;

void services_init(uint32_t sites)
{
    site_count = sites;
}

static void fail(const char *what, uint32_t from, uint32_t word)
{
    fflush(stdout);
    fprintf(stderr, "sP: %s (from process %u, word 0x%08x)\n", what, from, word);
    exit(2);
}

static void lock(uint32_t from, uint32_t number)
{
    struct lock *l = &locks[number];

    if (l->owner) {
        l->waiting[l->last++ % TS_MAX_PROCESSES] = from;
        return;
    }
    l->owner = from + 1;
    deliver(from, 1, TS_SVC_LOCK, number);
}

static void unlock(uint32_t from, uint32_t number)
{
    struct lock *l = &locks[number];

    if (l->owner != from + 1) fail("UNLOCK by one that does not hold the lock", from, number);
    l->owner = 0;
    if (l->first != l->last) lock(l->waiting[l->first++ % TS_MAX_PROCESSES], number);
}

static void barrier(uint32_t from, uint32_t word)
{
    uint32_t processes = word >> 16;
    struct barrier *b = &barriers[word & 0xffff];

    if (b->arrived && b->processes != processes) fail("BARRIER with two different counts", from, word);
    b->processes = processes;
    b->who[b->arrived++] = from;
    if (b->arrived < processes) return;
    for (uint32_t i = 0; i < processes; i++) deliver(b->who[i], 1, TS_SVC_BARRIER, word & 0xffff);
    b->arrived = 0;
}

static uint32_t page_set(uint32_t word)
{
    uint32_t log2 = word >> 16 & 15;

    return (word & 0xffff) >= 1792 || (log2 && (log2 < 6 || log2 > 11)) || (word >> 20 & 63) >= site_count ? 2 : 0;
}

void service(uint32_t site, uint32_t from, uint32_t tag, uint32_t word)
{
    switch (tag) {
    case TS_SVC_LOCK:
    case TS_SVC_UNLOCK:
        if (site != word % site_count || word >= TS_SVC_LOCKS * site_count) fail("lock number wrong for this site", from, word);
        return tag == TS_SVC_LOCK ? lock(from, word) : unlock(from, word);
    case TS_SVC_BARRIER:
        if (site != 0) fail("barrier message away from site 0", from, word);
        return barrier(from, word);
    case TS_SVC_PAGE_SET:
        if (site != (word & 0xffff) % site_count) fail("page placed at the wrong site", from, word);
        return deliver(from, 1, tag, page_set(word));
    case TS_SVC_PARALLEL:
        return deliver(from, 1, tag, word);
    default:
        fail("unknown service", from, tag);
    }
}
