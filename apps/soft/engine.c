/** \file
 * What the command engine does, on the aP's own memory: software tags, data between frame and messages. The protocol's handlers are those
 * of fw/protocols over fw/tempest, and this is their niu_ops.h (fw/niu/functions). One aP a site, so a handler and its commands are atomic.
 */
#include "soft.h"

#include "events.h"
#include "tempest.h"
#include <turnstile.h>

struct tt_state TT;

enum { LINE = 64, PART_LINES = 2, READ_FAULT = 0, WRITE_FAULT = 1, UPGRADE_FAULT = 2 };

/* The framework's own messages here, beyond those of events.h: a wish about a page, and the answer. */
enum { PAGE_SET = 26, PAGE_WAS_SET = 27 };
enum { NONE = 0xFF };
static uint32_t page_status;

static const uint8_t byte_of[] = {[TT_BUSY] = SOFT_INVALID, [TT_INVALID] = SOFT_INVALID, [TT_READ_ONLY] = SOFT_READ_ONLY, [TT_READ_WRITE] = SOFT_READ_WRITE};

struct command {
    enum { GET, PUT, PUT_PART, FORWARD, TAG, TAG_SEND, SEND } op;
    uint32_t a, shift, old, next, site, type;
};

/* Put off, in order: while the access that waits is allowed but not done, what takes the block away again waits for it (VY-06, BZ-33). A
 * handler starts at most a command for each request that it serves, and no handler runs meanwhile. */
static struct command put_off[TT_WAITERS];
static uint32_t put_off_count;
/* The access that waits. */
static uint32_t wanted, wanted_needs;
/* Of the current message. */
static const uint32_t *data;
static uint32_t data_lines;
/* Its lines, when the slot they came in had to be freed. */
static uint32_t kept_data[PART_LINES * LINE / 4];

static uint8_t *tag_of(uint32_t a) { return &__soft_tags[(a - TT.heap) >> SOFT_LINE_SHIFT]; }
static uint32_t block_of(uint32_t a, uint32_t shift) { return a >> shift << shift; }

static void retag(const struct command *c) {
    const uint32_t lines = (1u << c->shift) / LINE;
    uint8_t *tag = tag_of(block_of(c->a, c->shift));
    for (uint32_t i = 0; i < lines; i++) {
        if (tag[i] != byte_of[c->old])
            tt_panic("a tag was not what the protocol thought: address, tag found", c->a, tag[i]);
        tag[i] = byte_of[c->next];
    }
}

/* By eight words, for each loop costs; the simulator knows soft_copy_in by its name. */
static inline void copy(volatile uint32_t *to, const uint32_t *from, uint32_t lines) {
    for (const uint32_t *end = from + lines * (LINE / 4); from != end; from += 8, to += 8) {
        const uint32_t a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6], h = from[7];
        to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;
    }
}
__attribute__((noinline)) void soft_copy_in(uint32_t *to, const uint32_t *from, uint32_t lines);
void soft_copy_in(uint32_t *to, const uint32_t *from, uint32_t lines) { copy(to, from, lines); }

void soft_keep_data(void) {
    if (data_lines && data != kept_data) {
        copy(kept_data, data, data_lines);
        data = kept_data;
    }
}

static void get(const struct command *c) {
    const uint32_t a = block_of(c->a, c->shift), lines = (1u << c->shift) / LINE;
    for (uint32_t at = 0; at < lines; at += PART_LINES) {
        const uint32_t now = lines - at < PART_LINES ? lines - at : PART_LINES;
        uint32_t *const to = soft_lines();
        copy(to, (const uint32_t *)(a + at * LINE), now);
        soft_send_high(c->site, c->type | (at + now < lines ? TT_PART : 0), a + at * LINE, now);
    }
}

static void perform(const struct command *c) {
    switch (c->op) {
    case GET:
        retag(c);
        get(c);
        break;
    case PUT:
        soft_copy_in((uint32_t *)(c->a & -LINE), data, data_lines);
        retag(c);
        break;
    case PUT_PART:
        soft_copy_in((uint32_t *)(c->a & -LINE), data, data_lines);
        break;
    case FORWARD: {
        uint32_t *const to = soft_lines(); /* may move the data */
        copy(to, data, data_lines);
        soft_send_high(c->site, c->type, c->a, data_lines);
        break;
    }
    case TAG:
        retag(c);
        break;
    case TAG_SEND:
        retag(c);
        soft_send_high(c->site, c->type, c->a, 0);
        break;
    case SEND:
        soft_send_high(c->site, c->type, c->a, 0);
        break;
    }
}

static int takes_away_what_waits(const struct command *c) {
    return wanted_needs && (c->op == GET || c->op == TAG_SEND) && block_of(c->a, c->shift) == block_of(wanted, c->shift) && byte_of[c->next] & wanted_needs &&
           !(*tag_of(wanted) & wanted_needs);
}

static void launch(struct command c) {
    if (!put_off_count && !takes_away_what_waits(&c)) {
        perform(&c);
        return;
    }
    if (put_off_count == TT_WAITERS)
        tt_panic("more commands wait for an access than sites allow: address, operation", c.a, c.op);
    put_off[put_off_count++] = c;
}

uint32_t soft_site(void) { return TT.site; }
int soft_put_off(void) { return put_off_count != 0; }

void soft_settle(void) {
    for (uint32_t i = 0; i < put_off_count; i++)
        perform(&put_off[i]);
    put_off_count = 0;
}

void soft_message(uint32_t type, uint32_t site, uint32_t word, uint32_t lines, const uint32_t *lines_at) {
    data = lines_at;
    data_lines = lines;
    if (type == PAGE_SET)
        soft_send_high(site, PAGE_WAS_SET, tt_page_set(word), 0);
    else if (type == PAGE_WAS_SET)
        page_status = word;
    else
        tt_event(EVENT_MESSAGE + type, word, site | type << 25);
}

void soft_fault(uint32_t a, uint32_t needs) {
    soft_settle();
    wanted = a;
    wanted_needs = needs;
    while (*tag_of(a) & needs) {
        const uint32_t byte = *tag_of(a), tag = tt_page_of(a)->state < TT_HOME ? TT_BUSY : byte == SOFT_READ_ONLY ? TT_READ_ONLY : TT_INVALID;
        tt_event(EVENT_FAULT + 4 * tag + (needs == SOFT_LOAD ? READ_FAULT : tag == TT_READ_ONLY ? UPGRADE_FAULT : WRITE_FAULT), a, 0);
        /* The handler has asked; it is told of the access again when the block has changed and is still not what is wanted. */
        while (*tag_of(a) & needs && *tag_of(a) == byte && (tt_page_of(a)->state < TT_HOME) == (tag == TT_BUSY))
            soft_poll();
    }
    wanted_needs = 0;
}

int soft_mode(const char *name) {
    for (uint32_t i = 0; i < TT.mode_count; i++) {
        const char *a = TT.modes[i].mode->name, *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return (int)i;
    }
    return -1;
}

uint32_t soft_page_set(uint32_t index, uint32_t word) {
    const uint32_t registry = index % TT.sites;
    if (registry == TT.site)
        return tt_page_set(word);
    page_status = NONE;
    soft_send_low(registry, PAGE_SET, word);
    while (page_status == NONE)
        soft_poll();
    return page_status;
}

void soft_engine_init(uint32_t site, uint32_t sites, uint32_t heap, uint32_t heap_end, uint32_t block_log2, uint32_t high) {
    const struct tt_config c = {.magic = TT_MAGIC, .sites = sites, .aps = 1, .block_log2 = block_log2, .home_policy = TT_ROUND_ROBIN, .heap = heap, .heap_end = heap_end,
                                .memory_end = heap_end};
    tt_state_init(site, &c);
    tt_places_init(high, high);
}

/* ---- fw/niu/functions/niu_ops.h ---- */
uint32_t niu_low_free(void) { return 2 * NIU_LOW_RESERVE; } /* a full queue holds the store, and always empties */
void niu_timer_soon(void) { tt_panic("a timer, although the transmit queue is never full: sites, site", TT.sites, TT.site); }
void niu_express_low(uint32_t site, uint32_t type, uint32_t word) { soft_send_low(site, type, word); }
void niu_express_to(uint32_t name, uint32_t tag, uint32_t word) {
    (void)tag;
    tt_panic("a service of a protocol by software: name, word", name, word);
}
void niu_get_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    launch((struct command){.op = GET, .a = a, .shift = shift, .old = old, .next = next, .site = site, .type = type});
}
void niu_put(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) { launch((struct command){.op = PUT, .a = a, .shift = shift, .old = old, .next = next}); }
void niu_put_part(uint32_t a) { launch((struct command){.op = PUT_PART, .a = a}); }
void niu_forward(uint32_t a, uint32_t site, uint32_t type, uint32_t last) {
    (void)last; /* the lines stay where they are until the message is released */
    launch((struct command){.op = FORWARD, .a = a, .site = site, .type = type});
}
void niu_upgrade(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) { launch((struct command){.op = TAG, .a = a, .shift = shift, .old = old, .next = next}); }
void niu_downgrade_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    launch((struct command){.op = TAG_SEND, .a = a, .shift = shift, .old = old, .next = next, .site = site, .type = type});
}
void niu_reply(uint32_t site, uint32_t type, uint32_t word) { launch((struct command){.op = SEND, .a = word, .site = site, .type = type}); }
void niu_page_tags(uint32_t a, uint32_t next) {
    for (uint32_t i = 0; i < 4096 / LINE; i++)
        tag_of(a)[i] = byte_of[next];
}

/* What this firmware lacks: its services are the sPs'. */
tt_handler *tt_service_handler(uint32_t tag) {
    (void)tag;
    return 0;
}
void tt_error(const char *what, uint32_t a, uint32_t b) { tt_panic(what, a, b); }
void tt_complain(const char *what, uint32_t a, uint32_t b) { tt_panic(what, a, b); }
void tt_panic(const char *what, uint32_t a, uint32_t b) { ts_fail("shared memory by software: %s: %lx %lx", what, (unsigned long)a, (unsigned long)b); }
