/** \file The firmware's state as the search needs it: one form for one meaning, sites renamed, in words. */
#include "firmware.h"
#include "events.h"
#include "protocol.h"
#include "tempest.h"
#include <stdio.h>
#include <string.h>

enum { MOST_BLOCKS = 4, DEAD = 0xEE, INFO_HOME = 0x3F };
static unsigned block_count;
static uint32_t blocks[MOST_BLOCKS];

void fw_follow(unsigned count, const uint32_t *addresses) {
    block_count = count;
    memcpy(blocks, addresses, count * sizeof *addresses);
}

static const struct check_side *side_of(const struct tt_page *p) {
    return p->state == TT_HOME ? &check_protocol.home : p->state == TT_REMOTE ? &check_protocol.copy : 0;
}
static uint8_t *block_of(uint32_t a, const struct check_side **side) {
    struct tt_page *p = tt_page_of(a);
    *side = side_of(p);
    return *side ? (uint8_t *)p->user + tt_block_index(p, a) * (*side)->bytes : 0;
}
static int lives(const struct check_field *f, uint8_t state) { return !f->live || (f->live >> state & 1); }

/* Waiters in the order of the lists that hold them. */
static const char *number_waiters(void) {
    struct tt_waiter old[TT_WAITERS];
    unsigned free = 0, used = 0;
    memcpy(old, TT.waiters, sizeof old);
    for (unsigned i = TT.waiter_free; i && free < TT_WAITERS; i = old[i].next)
        free++;
    memset(TT.waiters, 0, sizeof TT.waiters);
    for (unsigned b = 0; b < block_count; b++) {
        const struct check_side *side;
        uint8_t *block = block_of(blocks[b], &side);
        for (const struct check_field *f = side ? side->fields : 0; f && f->name; f++)
            if (f->kind == CHECK_HEAD) {
                uint8_t *head = block + f[0].offset, *tail = block + f[1].offset;
                unsigned first = used + 1;
                for (unsigned i = *head; i && used < TT_WAITERS - 1; i = old[i].next) {
                    TT.waiters[++used] = old[i];
                    TT.waiters[used].next = old[i].next ? used + 1 : 0;
                }
                *tail = used >= first ? used : 0;
                *head = used >= first ? first : 0;
            }
    }
    for (unsigned i = used + 1; i < TT_WAITERS; i++)
        TT.waiters[i].next = i + 1 < TT_WAITERS ? i + 1 : 0;
    TT.waiter_free = used + 1 < TT_WAITERS ? used + 1 : 0;
    if (used > block_count * TT.sites) /* a copy asks once, the home for a load and for a store; one of them is served */
        return "more requests wait at a block than there are sites";
    return used + free == TT_WAITERS - 1 ? 0 : "an entry of the waiting lists is in no list, or in two";
}

static const char *number_later(void) {
    struct tt_later old[TT_WAITERS];
    unsigned free = 0, used = 0;
    memcpy(old, TT.later, sizeof old);
    for (unsigned i = TT.later_free; i && free < TT_WAITERS; i = old[i].next)
        free++;
    memset(TT.later, 0, sizeof TT.later);
    for (unsigned kind = 0; kind < TT_KINDS; kind++) {
        unsigned first = used + 1;
        for (unsigned i = TT.places[kind].head; i && used < TT_WAITERS - 1; i = old[i].next) {
            TT.later[++used] = old[i];
            TT.later[used].next = old[i].next ? used + 1 : 0;
        }
        TT.places[kind].tail = used >= first ? used : 0;
        TT.places[kind].head = used >= first ? first : 0;
    }
    for (unsigned i = used + 1; i < TT_WAITERS; i++)
        TT.later[i].next = i + 1 < TT_WAITERS ? i + 1 : 0;
    TT.later_free = used + 1 < TT_WAITERS ? used + 1 : 0;
    return used + free == TT_WAITERS - 1 ? 0 : "an entry of the messages that wait for places is in no list, or in two";
}

const char *fw_canonical(void) {
    memset(&TT.stats, 0, sizeof TT.stats);
    memset(TT.counters, 0, sizeof TT.counters);
    memset(TT.deferred + TT.deferred_count, 0, (TT_DEFERRED - TT.deferred_count) * sizeof TT.deferred[0]);
    for (unsigned b = 0; b < block_count; b++) {
        const struct check_side *side;
        uint8_t *block = block_of(blocks[b], &side);
        for (const struct check_field *f = side ? side->fields : 0; f && f->name; f++)
            if (!lives(f, block[side->at]))
                memset(block + f->offset, DEAD, f->bytes);
    }
    const char *lost = number_waiters(), *lost_later = number_later();
    return lost ? lost : lost_later;
}

static void rename_block(uint8_t *block, const struct check_side *side, const uint8_t *to) {
    for (const struct check_field *f = side->fields; f->name; f++) {
        if (!lives(f, block[side->at]))
            continue;
        if (f->kind == CHECK_SITE)
            block[f->offset] = to[block[f->offset]];
        if (f->kind == CHECK_SITES) {
            uint64_t old = 0, now = 0;
            memcpy(&old, block + f->offset, f->bytes);
            for (unsigned s = 0; s < TT.sites; s++)
                now |= (old >> s & 1) << to[s];
            memcpy(block + f->offset, &now, f->bytes);
        }
        if (f->kind == CHECK_HEAD)
            for (unsigned i = block[f->offset]; i; i = TT.waiters[i].next)
                TT.waiters[i].who = to[TT.waiters[i].who];
    }
}

void fw_rename(const uint8_t *to) {
    TT.site = to[TT.site];
    for (unsigned i = 0; i < TT_PAGES; i++) {
        if (TT.pages[i].home != TT_NO_SITE)
            TT.pages[i].home = to[TT.pages[i].home];
        if (TT.registry[i].home != TT_NO_SITE)
            TT.registry[i].home = to[TT.registry[i].home];
    }
    for (unsigned kind = 0; kind < TT_KINDS; kind++)
        for (unsigned i = TT.places[kind].head; i; i = TT.later[i].next)
            if (!TT.later[i].sites)
                TT.later[i].site = to[TT.later[i].site];
    for (unsigned i = 0; i < TT.deferred_count; i++)
        TT.deferred[i].meta = (TT.deferred[i].meta & ~63u) | to[TT.deferred[i].meta & 63];
    for (unsigned b = 0; b < block_count; b++) {
        const struct check_side *side;
        uint8_t *block = block_of(blocks[b], &side);
        if (block)
            rename_block(block, side, to);
    }
}

uint32_t fw_rename_word(unsigned type, uint32_t word, const uint8_t *to) {
    return type == TT_PAGE_INFO ? (word & ~(uint32_t)INFO_HOME) | to[word & INFO_HOME] : word;
}

const char *fw_not_at_rest(void) {
    for (unsigned kind = 0; kind < TT_KINDS; kind++)
        if (TT.places[kind].spare != TT.places[kind].all || TT.places[kind].head)
            return "nothing is under way, but places for answers are taken";
    if (TT.waiter_free != 1)
        return "nothing is under way, but a request waits";
    if (TT.deferred_count)
        return "nothing is under way, but a request waits for its page";
    for (unsigned b = 0; b < block_count; b++) {
        const struct check_side *side;
        uint8_t *block = block_of(blocks[b], &side);
        if (block && !(side->rest >> block[side->at] & 1))
            return "nothing is under way, but a block's state waits for something";
    }
    return 0;
}

const char *fw_message_name(unsigned type) { return type < 32 && check_protocol.messages[type] ? check_protocol.messages[type] : "unknown"; }

void fw_state_name(uint32_t a, char *text, size_t bytes) {
    const struct check_side *side;
    uint8_t *block = block_of(a, &side);
    const char *name = !side ? "page not open" : side->states[block[side->at] & 15] ? side->states[block[side->at] & 15] : "?";
    snprintf(text, bytes, "%s%s%s", side ? side->name : "", side ? " " : "", name);
}

static size_t describe_field(const struct check_field *f, const uint8_t *block, char *text, size_t bytes) {
    uint64_t value = 0;
    size_t n = 0;
    memcpy(&value, block + f->offset, f->bytes);
    if (f->kind == CHECK_HEAD) {
        if (!value)
            return 0;
        n = snprintf(text, bytes, ", waiting");
        for (unsigned i = (unsigned)value; i && n < bytes; i = TT.waiters[i].next)
            n += snprintf(text + n, bytes - n, " %u", TT.waiters[i].who);
        return n;
    }
    if (f->kind == CHECK_SITES) {
        n = snprintf(text, bytes, ", %s {", f->name);
        for (unsigned s = 0, comma = 0; s < TT.sites && n < bytes; s++)
            if (value >> s & 1)
                n += snprintf(text + n, bytes - n, "%s%u", comma++ ? " " : "", s);
        return n + (n < bytes ? (size_t)snprintf(text + n, bytes - n, "}") : 0);
    }
    return f->kind == CHECK_TAIL || (f->kind == CHECK_VALUE && !value) ? 0 : (size_t)snprintf(text, bytes, ", %s %u", f->name, (unsigned)value);
}

void fw_describe(uint32_t a, char *text, size_t bytes) {
    const struct check_side *side;
    uint8_t *block = block_of(a, &side);
    fw_state_name(a, text, bytes);
    for (const struct check_field *f = side ? side->fields : 0; f && f->name; f++) {
        size_t n = strlen(text);
        if (lives(f, block[side->at]))
            describe_field(f, block, text + n, bytes - n);
    }
}
