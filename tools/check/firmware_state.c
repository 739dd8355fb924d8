/** \file The firmware's state as the search needs it: one form for one meaning, sites renamed, in words. */
#include "firmware.h"
#include "events.h"
#include "table.h"
#include "tempest.h"
#include <stdio.h>
#include <string.h>

enum { MOST_BLOCKS = 4, DEAD = 0xEE, INFO_HOME = 0x3F };

/* Of a name and of the `meta` that a call brings (contract §4, §5). */
enum { NAME_SITE_AT = 3, META_NAME_AT = 15 };
static unsigned block_count;
static uint32_t blocks[MOST_BLOCKS];

void fw_follow(unsigned count, const uint32_t *addresses) {
    block_count = count;
    memcpy(blocks, addresses, count * sizeof *addresses);
}

static unsigned index_of(const struct tt_protocol *t) {
    unsigned i = 0;
    while (tt_protocols[i] != t)
        i++;
    return i;
}
static const struct check_side *side_of(const struct tt_page *p) {
    if (p->state < TT_HOME)
        return 0;
    const struct check_protocol *t = check_protocols[index_of(TT.modes[p->mode].protocol)];
    return p->state == TT_HOME ? &t->home : &t->copy;
}
static uint8_t *block_of(uint32_t a, const struct check_side **side) {
    struct tt_page *p = tt_page_of(FW_HEAP | (a & 0x0FFFFFFF)); /* PAGE_INFO's word has no more of an address */
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

/* Answers that wait for the transmit queue stand from the first place on. */
static void number_answers(void) {
    struct tt_answer old[TT_ANSWERS];
    const unsigned count = TT.answers_tail - TT.answers_head;
    memcpy(old, TT.answers, sizeof old);
    memset(TT.answers, 0, sizeof TT.answers);
    for (unsigned i = 0; i < count; i++)
        TT.answers[i] = old[(TT.answers_head + i) % TT_ANSWERS];
    TT.answers_head = 0;
    TT.answers_tail = count;
}

/* Calls beyond those that wait mean nothing. */
static void forget_callers(void) {
    for (unsigned i = 0; tt_protocols[i]; i++)
        for (const struct check_field *f = check_protocols[i]->site; f->name; f++)
            if (f->kind == CHECK_CALLERS) {
                uint8_t *calls = (uint8_t *)TT.site_state[i] + f->offset;
                uint32_t count;
                memcpy(&count, calls - sizeof count, sizeof count);
                memset(calls + 4 * count, 0, f->bytes - 4 * count);
            }
}

const char *fw_canonical(void) {
    number_answers();
    forget_callers();
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
        if (f->kind == CHECK_SITE_OR_NONE && block[f->offset])
            block[f->offset] = to[block[f->offset] - 1] + 1;
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

static uint32_t renamed_name(uint32_t name, const uint8_t *to) { return (uint32_t)to[name >> NAME_SITE_AT] << NAME_SITE_AT | (name & 7); }
static uint32_t renamed_call(uint32_t meta, const uint8_t *to) {
    return (meta & ~(0x1FFu << META_NAME_AT | 63)) | renamed_name(meta >> META_NAME_AT & 0x1FF, to) << META_NAME_AT | to[meta & 63];
}

static void rename_calls(const uint8_t *to) {
    uint32_t answering = 0;
    for (unsigned i = 0; i < TT.answers_tail; i++) {
        const uint32_t name = TT.answers[i].name = renamed_name(TT.answers[i].name, to);
        answering |= 1u << ((name >> NAME_SITE_AT) * 4 + (name & 3)) % 32;
    }
    TT.answering[0] = answering;
    for (unsigned i = 0; tt_protocols[i]; i++)
        for (const struct check_field *f = check_protocols[i]->site; f->name; f++)
            for (unsigned k = 0; f->kind == CHECK_CALLERS && k < f->bytes / 4u; k++) {
                uint32_t *meta = (uint32_t *)((uint8_t *)TT.site_state[i] + f->offset) + k;
                *meta = *meta ? renamed_call(*meta, to) : 0;
            }
}

void fw_rename(const uint8_t *to) {
    rename_calls(to);
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

const char *fw_not_at_rest(const uint8_t *tags) {
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
        if (block && side->tags[block[side->at]] && side->tags[block[side->at]] != tags[b])
            return "nothing is under way, but a tag is not what the block's state says";
    }
    return 0;
}

const char *fw_message_name(unsigned type, uint32_t word) {
    static char text[64];
    if (type == TT_PAGE_ASK || type == TT_PAGE_INFO)
        return type == TT_PAGE_ASK ? "Page ask" : "Page info";
    if (type >= FW_SERVICE)
        return "call";
    const struct tt_message *m = TT.modes[TT.registry[tt_page_of(word) - TT.pages].mode].protocol->messages;
    const int part = !m[type].name && type && m[type - 1].data;
    snprintf(text, sizeof text, "%s%s", m[type - part].name ? m[type - part].name : "unknown", part ? " part" : "");
    return text;
}

void fw_state_name(uint32_t a, char *text, size_t bytes) {
    const struct check_side *side;
    uint8_t *block = block_of(a, &side);
    const char *name = !side ? "page not open" : side->states[block[side->at] & 63] ? side->states[block[side->at] & 63] : "?";
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
