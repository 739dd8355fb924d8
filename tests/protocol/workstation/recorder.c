/** \file The NIU as a recorder, and the printing of rows. */
#include "recorder.h"
#include "services.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tt_state state, *tt_current = &state;
/* One site lives here: invariants, which look at all, are not called. */
struct tt_page *tt_page_at(uint32_t site, uint32_t a) { return site == TT.site ? tt_page_of(a) : 0; }
uint32_t niu_free;
static uint32_t page_mode; /* of pages that a registry elsewhere tells of */
static char log_text[1 << 16];
static const char *table_name;
static int failed;
static jmp_buf *panic_goes;
static char dram[NIU_DIRECTORY_BYTES + (4 << 20)]; /* with the records of all pages of the largest heap */

static void __attribute__((format(printf, 1, 2))) record(const char *format, ...) {
    va_list v;
    size_t n = strlen(log_text);
    if (n)
        log_text[n++] = ' ';
    va_start(v, format);
    vsnprintf(log_text + n, sizeof log_text - n, format, v);
    va_end(v);
}

static const char *tag_name(uint32_t t) { return (const char *const[]){"busy", "I", "RO", "RW"}[t]; }

/* By the descriptor of the protocol whose page the word is about; the framework's own beyond. */
static const char *type_name(uint32_t t, uint32_t a) {
    static char name[64];
    if (t >= TT_MESSAGES)
        return t == TT_PAGE_ASK ? "PageAsk" : "PageInfo";
    const struct tt_protocol *of = TT.modes[tt_page_of(a)->mode].protocol;
    if (of->messages[t].channel)
        return of->messages[t].name;
    snprintf(name, sizeof name, "%s/part", t && of->messages[t - 1].data ? of->messages[t - 1].name : "?");
    return name;
}

static uint32_t word_of(uint32_t type, uint32_t word) { return type == TT_PAGE_INFO ? (word & 0x0FFFFFFF) | (HEAP & 0xF0000000) : word; }

static uint32_t slot_of_event;

void *niu_dram(void) { return dram; }
uint32_t niu_low_free(void) { return niu_free; }
void niu_timer_soon(void) { record("timer"); }
void niu_express_low(uint32_t site, uint32_t type, uint32_t word) { record("%s>%u@%x", type_name(type, word), site, word_of(type, word) - HEAP); }
void niu_express_to(uint32_t name, uint32_t tag, uint32_t word) { record("answer%u:%u>%u.%u", tag, word, name >> 3, name & 7); }
void niu_get_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    record("get(%s,%s)%s>%u@%x+%u", tag_name(old), tag_name(next), type_name(type, a), site, a - HEAP, 1u << shift);
}
void niu_put(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    record("put(%s,%s)@%x+%u#%u", tag_name(old), tag_name(next), a - HEAP, 1u << shift, slot_of_event);
}
void niu_put_part(uint32_t a) { record("put(part)@%x#%u", a - HEAP, slot_of_event); }
void niu_forward(uint32_t a, uint32_t site, uint32_t type, uint32_t last) {
    record("%s%s>%u@%x#%u", last ? "forward:" : "copy:", type_name(type, a), site, a - HEAP, slot_of_event);
}
void niu_upgrade(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    record("tag(%s,%s)@%x+%u", tag_name(old), tag_name(next), a - HEAP, 1u << shift);
}
void niu_downgrade_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    record("flush(%s,%s)%s>%u@%x+%u", tag_name(old), tag_name(next), type_name(type, a), site, a - HEAP, 1u << shift);
}
void niu_reply(uint32_t site, uint32_t type, uint32_t word) { record("%s>%u@%x", type_name(type, word), site, word_of(type, word) - HEAP); }
void niu_page_tags(uint32_t a, uint32_t next) { record("page(%s)@%x", tag_name(next), a - HEAP); }

void tt_error(const char *what, uint32_t a, uint32_t b) {
    (void)what, (void)a, (void)b;
    record("error");
}
void tt_complain(const char *what, uint32_t a, uint32_t b) {
    (void)what, (void)a, (void)b;
    record("complaint");
}
void tt_panic(const char *what, uint32_t a, uint32_t b) {
    if (!panic_goes) {
        printf("FAIL panic: %s %x %x\n", what, a, b);
        exit(2);
    }
    record("panic");
    longjmp(*panic_goes, 1);
}

void until_panic(void (*what)(void)) {
    jmp_buf here;
    panic_goes = &here;
    if (!setjmp(here))
        what();
    panic_goes = 0;
}

static void fresh_pages(uint32_t shift, uint32_t home_policy, uint32_t events, uint32_t slots, uint32_t pages) {
    memset(&state, 0, sizeof state);
    struct tt_config c = {TT_MAGIC, 4, 1, shift, home_policy, HEAP, HEAP + (pages << TT_PAGE_SHIFT)};
    tt_state_init(SELF, &c);
    tt_places_init(events, slots);
    niu_free = 16;
}

void fresh_site(uint32_t shift, uint32_t home_policy, uint32_t events, uint32_t slots) { fresh_pages(shift, home_policy, events, slots, TT_PAGES); }

void fresh_large(uint32_t home_policy) {
    memset(dram, 0xA5, sizeof dram);
    fresh_pages(7, home_policy, 512, 56, TT_MOST_PAGES);
}

void fresh(uint32_t shift) {
    fresh_site(shift, TT_ROUND_ROBIN, 512, 56);
    tt_page_touch(tt_page_of(AT_HOME), AT_HOME);
    tt_page_touch(tt_page_of(AT_COPY), AT_COPY);
    event(tt_on_page_info, (AT_COPY & ~0xFFFu) | 1 | (shift - 6) << 6, 1);
    log_text[0] = 0;
}

void fresh_second(void) {
    fresh_site(7, TT_ROUND_ROBIN, 512, 56);
    page_mode = 1;
    tt_page_set(0 | page_mode << 27);
    event(tt_on_page_fault, AT_HOME, 0);
    event(tt_on_page_fault, AT_COPY, 0);
    event(tt_on_page_info, (AT_COPY & ~0xFFFu) | 1 | 1 << 6, 1);
    page_mode = 0;
}

/* Of a message handler the type, the first that the image's protocols have it for; TT_MESSAGES: it is none. */
static uint32_t type_of(tt_handler *handler) {
    for (uint32_t i = 0; tt_protocols[i]; i++)
        for (uint32_t t = 0; t < TT_MESSAGES; t++) {
            if (tt_protocols[i]->messages[t].handler == handler)
                return t;
            if (tt_protocols[i]->messages[t].part == handler)
                return t + TT_PART;
        }
    return TT_MESSAGES;
}

void event(tt_handler *handler, uint32_t arg, uint32_t site) {
    slot_of_event = SLOT;
    if (handler == tt_on_page_info) /* the page's mode stands where addresses have what all have in common */
        arg = (arg & 0x0FFFFFFF) | page_mode << 28;
    const uint32_t type = type_of(handler);
    if (type < TT_MESSAGES) { /* as the hardware does: to the handler that the page's protocol has, or to what keeps messages */
        tt_event(EVENT_MESSAGE + type, arg, site | SLOT << 6 | type << 25);
        return;
    }
    niu_event(arg, 0);
    handler(arg, site | SLOT << 6);
}

int places_taken(enum tt_kind kind) { return TT.places[kind].all - TT.places[kind].spare; }

void table(const char *name, unsigned rows) {
    table_name = name;
    printf("table %s %u\n", name, rows);
}

int log_is(const char *wanted) {
    int is = !strcmp(log_text, wanted);
    log_text[0] = 0;
    return is;
}

void row(const char *name, const char *wanted, int state_right) {
    int ok = !strcmp(log_text, wanted) && state_right;
    failed += !ok;
    printf("%s %s %s | %s | %s%s\n", ok ? "ok" : "FAIL", table_name, name, log_text, wanted, state_right ? "" : " (next state)");
    log_text[0] = 0;
}

void sequences(const char *name, const struct sequence *first, unsigned count) {
    unsigned rows = 0;
    for (unsigned i = 0; i < count; i++)
        rows += first[i].rows;
    table(name, rows);
    for (unsigned i = 0; i < count; i++)
        first[i].run();
}

const struct tt_protocol *protocol_named(const char *name) {
    for (uint32_t i = 0; tt_protocols[i]; i++)
        if (!strcmp(tt_protocols[i]->name, name))
            return tt_protocols[i];
    return 0;
}

void message(const struct tt_protocol *of, const char *name, uint32_t a, uint32_t site) {
    for (uint32_t type = 0; type < TT_MESSAGES; type++)
        if (of->messages[type].channel && !strcmp(of->messages[type].name, name)) {
            slot_of_event = SLOT;
            tt_event(EVENT_MESSAGE + type, a, site | SLOT << 6 | type << 25);
            return;
        }
    record("no message %s", name);
}

void call(const char *what, const char *name, uint32_t site) {
    const uint32_t tag = strcmp(what, "mode") ? SERVICE_FIND : SERVICE_MODE;
    tt_event(EVENT_SERVICE + tag, service_hash(SERVICE_HASH, name), site | (site << 3 | 2) << 15 | tag << 25);
}

int main(void) {
    tables();
    return failed != 0;
}
