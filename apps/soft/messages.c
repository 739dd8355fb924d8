/** \file
 * Messages between sites that keep shared memory coherent by software: low ones, which have no data, are Express messages, high ones Basic
 * messages with lines attached. So the two channels of a protocol are two queues, as on the sP, and each keeps the order of a pair.
 */
#include "soft.h"

#include "../runtime/niu.h"
#include "../runtime/runtime.h"
#include <turnstile.h>
#include <turnstile_message.h>
#include <turnstile_service.h>

enum { PART_BYTES = 2 * TS_LINE_BYTES, FIRST_AP = NAME_AP };

extern char __soft_block_log2[]; /* link.ld: an absolute number */
static ts_basic_t queue;
static int ready;
/* High messages that came while this site waited for room of its own: as many as may be on their way here. A site that waits and does not
 * receive would hold others, which might be those it waits for. */
enum { HIGH = 64 };
static struct kept { uint32_t type, site, word, lines, data[PART_BYTES / 4]; } kept[HIGH];
static uint32_t kept_came, kept_taken;
/* Came before this site was ready. */
static struct { uint32_t meta, word; } early[TS_EXPRESS_KEPT];
static uint32_t early_count;

/* The one aP of a site. */
static uint32_t name(uint32_t site) { return site << 3 | FIRST_AP; }

void soft_send_low(uint32_t site, uint32_t type, uint32_t word) {
    if (type == TS_AP_START)
        ts_fail("shared memory by software: a low message with number %d, which is the runtime's", TS_AP_START);
    express_send(name(site), type, word, PRIO_LOW);
}

/* A place for each slot of the transmit ring: the lines of a slot have left when the slot is free again. */
static uint32_t place(void) { return (queue.made & (queue.slots - 1)) * PART_BYTES; }

static void keep(void) {
    ts_basic_message_t m;

    if (!ts_basic_poll(&queue, &m)) {
        ts_basic_release(&queue);
        return;
    }
    if (kept_came - kept_taken == HIGH) ts_fail("shared memory by software: more than %d messages on their way to a site", HIGH);
    struct kept *k = &kept[kept_came++ % HIGH];
    k->type = m.tag;
    k->site = (uint32_t)m.from;
    k->word = *(const uint32_t *)m.payload;
    k->lines = m.lines;
    for (uint32_t i = 0; i < m.lines * (TS_LINE_BYTES / 4); i++) k->data[i] = ((const uint32_t *)m.line)[i];
}

static void make_room(void) {
    if (ts_basic_room(&queue) == 0) soft_keep_data();
    while (ts_basic_room(&queue) == 0) keep();
}

uint32_t *soft_lines(void) {
    make_room();
    return (uint32_t *)(queue.tagon + place());
}

void soft_send_high(uint32_t site, uint32_t type, uint32_t word, uint32_t lines) {
    make_room();
    const uint32_t at = place();
    uint32_t *payload = basic_slot(&queue, name(site), type, sizeof word, lines | at);
    *payload = word;
    ts_basic_launch(&queue);
}

void soft_express(uint32_t meta, uint32_t word) {
    const uint32_t source = meta >> EXPRESS_META_SOURCE_SHIFT & EXPRESS_META_SOURCE_MASK, type = meta >> EXPRESS_META_TAG_SHIFT & EXPRESS_META_TAG_MASK;

    if (ready) {
        soft_settle();
        soft_message(type, source >> 3, word, 0, 0);
        return;
    }
    if (early_count == TS_EXPRESS_KEPT) ts_fail("shared memory by software: more than %d requests before the start", TS_EXPRESS_KEPT);
    early[early_count].meta = meta;
    early[early_count++].word = word;
}

int soft_poll_high(void) {
    ts_basic_message_t m;

    if (!ready) return 0;
    soft_settle();
    if (kept_taken != kept_came) {
        struct kept now = kept[kept_taken++ % HIGH]; /* its handler may keep others */
        soft_message(now.type, now.site, now.word, now.lines, now.data);
        return 1;
    }
    if (!ts_basic_poll(&queue, &m)) {
        ts_basic_release(&queue);
        return 0;
    }
    soft_message(m.tag, (uint32_t)m.from, *(const uint32_t *)m.payload, m.lines, m.line);
    return 1;
}

int soft_poll(void) { return express_look() || soft_poll_high(); }

void soft_init(void) {
    soft_engine_init(own()->site, own()->sites, __tt_memory.heap, __tt_memory.heap_end, (uint32_t)__soft_block_log2, HIGH);
    ts_basic_open(&queue);
    ready = 1;
    for (uint32_t i = 0; i < early_count; i++) soft_express(early[i].meta, early[i].word);
}
