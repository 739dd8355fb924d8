/** \file The seam: fw/tempest and a protocol over an NIU that writes down what it is told. */
#include "firmware.h"
#include "events.h"
#include "table.h"
#include "services.h"
#include "tempest.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tt_state state;
struct tt_state *tt_current = &state;
static struct fw_outcome out;
static unsigned room_left;
static jmp_buf stopped;

void *fw_image(void) { return &state; }
size_t fw_image_bytes(void) { return sizeof state; }

/* Queue of an aP in a name (contract §4). */
enum { FIRST_AP = 2 };

/* ---- errors: the first one counts ---- */
static void complain(const char *what, uint32_t a, uint32_t b) {
    if (!out.error[0])
        snprintf(out.error, sizeof out.error, "%s: %x %x", what, a, b);
}
void tt_error(const char *what, uint32_t a, uint32_t b) { complain(what, a, b); }
void tt_complain(const char *what, uint32_t a, uint32_t b) { complain(what, a, b); }
void tt_panic(const char *what, uint32_t a, uint32_t b) {
    complain(what, a, b);
    longjmp(stopped, 1);
}

/* ---- niu_ops.h ---- */
void *niu_dram(void) { tt_panic("the checker's pool is too small for the directory (tools/check/limits.h): bytes used, bytes", state.memory_used, TT_POOL_BYTES); }
uint32_t niu_low_free(void) {
    out.looked++;
    if (room_left == 0)
        return NIU_LOW_RESERVE;
    room_left--;
    return NIU_LOW_RESERVE + (room_left > FW_MESSAGES ? FW_MESSAGES : 1);
}
void niu_timer_soon(void) { out.timer = 1; }
void niu_express_low(uint32_t site, uint32_t type, uint32_t word) {
    if (site >= state.sites)
        tt_panic("a message to a site that is not there: site, type", site, type);
    if (out.messages == FW_MESSAGES)
        tt_panic("a handler sends more low messages than the checker keeps: type, word", type, word);
    out.message[out.messages++] = (struct fw_message){.word = word, .site = site, .type = type};
}
void niu_express_to(uint32_t name, uint32_t tag, uint32_t word) {
    (void)tag;
    if (out.answers == FW_ANSWERS)
        tt_panic("a handler answers more programs than the checker keeps: name, word", name, word);
    out.answer[out.answers++] = (struct fw_answer){.site = name >> 3, .ap = (name & 7) - FIRST_AP, .word = word};
}
static void launch(struct fw_command c) {
    if (out.commands == FW_COMMANDS)
        tt_panic("a handler launches more commands than the checker keeps: address, operation", c.a, c.op);
    if (c.site >= state.sites)
        tt_panic("a message to a site that is not there: site, type", c.site, c.type);
    out.command[out.commands++] = c;
}
void niu_get_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    launch((struct fw_command){.op = FW_GET_SEND, .a = a, .shift = shift, .old = old, .next = next, .site = site, .type = type});
}
void niu_put(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    launch((struct fw_command){.op = FW_PUT, .a = a, .shift = shift, .old = old, .next = next, .last = 1});
}
void niu_put_part(uint32_t a) { launch((struct fw_command){.op = FW_PUT_PART, .a = a, .last = 1}); }
void niu_forward(uint32_t a, uint32_t site, uint32_t type, uint32_t last) {
    launch((struct fw_command){.op = FW_FORWARD, .a = a, .site = site, .type = type, .last = last});
}
void niu_upgrade(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    launch((struct fw_command){.op = FW_TAG, .a = a, .shift = shift, .old = old, .next = next});
}
void niu_downgrade_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    launch((struct fw_command){.op = FW_FLUSH_SEND, .a = a, .shift = shift, .old = old, .next = next, .site = site, .type = type});
}
void niu_reply(uint32_t site, uint32_t type, uint32_t word) { launch((struct fw_command){.op = FW_SEND, .a = word, .site = site, .type = type}); }
void niu_page_tags(uint32_t a, uint32_t next) { launch((struct fw_command){.op = FW_PAGE_TAGS, .a = a, .next = next}); }

/* ---- running ---- */
void fw_start(unsigned site, unsigned sites, unsigned aps, unsigned shift, unsigned home_policy, unsigned events, unsigned slots) {
    memset(&state, 0, sizeof state);
    struct tt_config config = {TT_MAGIC, sites, aps, shift, home_policy, FW_HEAP, FW_HEAP + (TT_PAGES << TT_PAGE_SHIFT)};
    out.error[0] = 0;
    if (setjmp(stopped)) {
        fprintf(stderr, "check: the firmware stops at its start: %s\n", out.error);
        exit(2);
    }
    tt_state_init(site, &config);
    tt_places_init(events, slots);
    for (unsigned page = 0; page < TT_PAGES; page++) {
        struct tt_registry *r = &state.registry[page];
        r->mode = page < state.mode_count ? page : 0;
        if (r->log2 > state.modes[r->mode].most_log2) {
            fprintf(stderr, "check: blocks of %s have two lines at most: its data has no handler of parts\n", state.modes[r->mode].protocol->name);
            exit(2);
        }
    }
}

static const struct fw_outcome *run(tt_handler *handler, uint32_t a, uint32_t meta, unsigned room) {
    out.commands = out.messages = out.answers = out.looked = out.timer = 0;
    out.error[0] = 0;
    room_left = room;
    if (!setjmp(stopped))
        handler(a, meta);
    state.event = 0; /* means nothing between two handlers */
    memset(&state.event_page, 0, sizeof state.event_page);
    return &out;
}

/* ---- other sites, for a protocol's invariant ---- */
static struct tt_state taken[FW_SITES];
static struct tt_page taken_page[FW_SITES];

void fw_take(unsigned site) { taken[site] = state; }
/* Its block states lie in the copy that was taken. */
struct tt_page *tt_page_at(uint32_t site, uint32_t a) {
    taken_page[site] = taken[site].pages[tt_page_of(a) - state.pages];
    taken_page[site].user = (char *)&taken[site] + ((char *)taken_page[site].user - (char *)&state);
    return &taken_page[site];
}
const char *fw_invariant(uint32_t a, unsigned sites, const uint8_t *tags) {
    const struct tt_protocol *t = state.modes[tt_page_of(a)->mode].protocol;
    return t->invariant ? t->invariant(a, sites, tags, 1) : 0;
}

static uint32_t event_now;
static void by_event(uint32_t a, uint32_t meta) { tt_event(event_now, a, meta); }

const struct fw_outcome *fw_run_message(unsigned type, uint32_t word, unsigned from, unsigned room) {
    event_now = type;
    return run(by_event, word, from | type << 25, room);
}

/* As the hardware's tables have it (fw/tempest/image.c). */
const struct fw_outcome *fw_run_fault(unsigned event, uint32_t a, unsigned room) {
    event_now = event;
    return run(by_event, a, 0, room);
}
const struct fw_outcome *fw_run_service(unsigned service, unsigned from, unsigned ap, unsigned room) {
    event_now = service;
    return run(by_event, 0, from | (from << 3 | (FIRST_AP + ap)) << 15 | (service - FW_SERVICE) << 25, room);
}
/* The image's services are numbered through (fw/services/calls.c). */
unsigned fw_release(unsigned page) {
    const struct tt_image_mode *m = &state.modes[state.registry[page].mode];
    if (m->mode->consistency == TT_SEQUENTIAL)
        return 0;
    unsigned number = FW_SERVICE + SERVICE_CALL, i = 0;
    for (; tt_protocols[i] != m->protocol; i++)
        for (unsigned k = 0; k < TT_SERVICES && tt_protocols[i]->services[k].name; k++)
            number++;
    return number + check_protocols[i]->release;
}
const char *fw_release_name(unsigned page) {
    static char name[64];
    const struct tt_protocol *p = state.modes[state.registry[page].mode].protocol;
    for (unsigned i = 0; tt_protocols[i]; i++)
        if (tt_protocols[i] == p)
            snprintf(name, sizeof name, "%s.%s", p->name, p->services[check_protocols[i]->release].name);
    return name;
}
const struct fw_outcome *fw_run_timer(unsigned room) { return run(tt_on_timer, 0, 0, room); }

static void open_page(uint32_t a, uint32_t meta) {
    struct tt_page *p = tt_page_of(a);
    uint32_t home = (uint32_t)(p - state.pages) % state.sites;
    (void)meta;
    tt_page_touch(p, a);
    if (p->state == TT_ASKED)
        tt_on_page_info((a & 0x0FFFF000) | home | state.registry[p - state.pages].log2 << 6 | (uint32_t)state.registry[p - state.pages].mode << 28, home);
}
const struct fw_outcome *fw_open(unsigned page) { return run(open_page, FW_HEAP + (page << TT_PAGE_SHIFT), 0, FW_ROOM); }
void fw_parallel(void) { tt_page_parallel(); }
