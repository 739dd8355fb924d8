/** \file
 * Every row of both Stache tables (docs/reference/stache.md) through the real handlers, with a recording NIU behind them. Site 0 is the
 * one under test; pages are numbered so that page 0 has its home here and page 1 at site 1 (four sites).
 * Prints a line a row: `ok|FAIL name | what was done | what was wanted`.
 */
#include "stache.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tt_state state, *tt_current = &state;
char niu_dram[1 << 20];
uint32_t niu_free;
static char niu_log[4096];
static int errors;

void niu_record(const char *format, ...) {
    va_list v;
    size_t n = strlen(niu_log);
    if (n)
        niu_log[n++] = ' ';
    va_start(v, format);
    vsnprintf(niu_log + n, sizeof niu_log - n, format, v);
    va_end(v);
}
void tt_error(const char *what, uint32_t a, uint32_t b) {
    (void)what, (void)a, (void)b;
    errors++;
    niu_record("error");
}
void tt_panic(const char *what, uint32_t a, uint32_t b) {
    printf("FAIL panic: %s %x %x\n", what, a, b);
    exit(1);
}

enum { HEAP = 0x80800000, AT_HOME = HEAP, AT_COPY = HEAP + 4096, SELF = 0 };
static uint32_t from(uint32_t site) { return site; }

static void fresh(void) {
    memset(&state, 0, sizeof state);
    struct tt_config c = {TT_MAGIC, 4, 1, 7, TT_ROUND_ROBIN};
    tt_state_init(SELF, &c, HEAP);
    niu_free = 16;
    tt_on_page_fault(AT_HOME, 0);
    tt_on_page_info(AT_COPY | 1 | 1 << 6, 0);
    niu_log[0] = 0;
}

/* ---- home rows ---- */
struct home_row {
    const char *name;
    struct stache_dir before;
    tt_handler *event;
    uint32_t source;
    const char *done;
    int state, owner;
    uint64_t sharers;
};
#define SITES(m) .sharers = (m)
static const struct home_row home_rows[] = {
    {"ALONE: Get RO X", {.state = ALONE}, stache_get_ro, 2, "get(RW,RO)DataRO>2", SHARED, -1, 4},
    {"ALONE: Get RW X", {.state = ALONE}, stache_get_rw, 2, "get(RW,I)DataRW>2", REMOTE, 2, 0},
    {"ALONE: home load resolved meanwhile", {.state = ALONE}, tt_on_read_fault, 0, "", ALONE, -1, 0},
    {"ALONE: home store resolved meanwhile", {.state = ALONE}, tt_on_write_fault, 0, "", ALONE, -1, 0},
    {"SHARED: Get RO X", {.state = SHARED, .sharers = 2}, stache_get_ro, 2, "get(RO,RO)DataRO>2", SHARED, -1, 6},
    {"SHARED: home load resolved meanwhile", {.state = SHARED, .sharers = 2}, tt_on_read_fault, 0, "", SHARED, -1, 2},
    {"SHARED: Get RW X, other sharers", {.state = SHARED, .sharers = 10}, stache_get_rw, 2, "InvalRO>1 InvalRO>3", BUSY_INV, -1, 10},
    {"SHARED: Upgrade X, other sharers", {.state = SHARED, .sharers = 14}, stache_upgrade, 2, "InvalRO>1 InvalRO>3", BUSY_INV, -1, 14},
    {"SHARED: home store", {.state = SHARED, .sharers = 10}, tt_on_write_fault, 0, "InvalRO>1 InvalRO>3", BUSY_INV, -1, 10},
    {"SHARED: Upgrade X, sole sharer", {.state = SHARED, .sharers = 4}, stache_upgrade, 2, "flush(RO,I)Grant>2", REMOTE, 2, 0},
    {"SHARED: Get RW X, sole sharer", {.state = SHARED, .sharers = 4}, stache_get_rw, 2, "get(RO,I)DataRW>2", REMOTE, 2, 0},
    {"SHARED: home store, no sharer", {.state = SHARED}, tt_on_write_fault, 0, "tag(RO,RW)", ALONE, -1, 0},
    {"SHARED: Upgrade from non-sharer is Get RW", {.state = SHARED, .sharers = 2}, stache_upgrade, 2, "InvalRO>1", BUSY_INV, -1, 2},
    {"BUSY-INV: an ack, more to come", {.state = BUSY_INV, .acks = 2, .req = 2, .want = WANT_RW}, stache_ack, 1, "", BUSY_INV, -1, 0},
    {"BUSY-INV: last ack, Get RW", {.state = BUSY_INV, .acks = 1, .req = 2, .want = WANT_RW}, stache_ack, 1, "get(RO,I)DataRW>2", REMOTE, 2, 0},
    {"BUSY-INV: last ack, Upgrade", {.state = BUSY_INV, .acks = 1, .req = 2, .want = WANT_UPGRADE}, stache_ack, 1, "flush(RO,I)Grant>2", REMOTE, 2, 0},
    {"BUSY-INV: last ack, home", {.state = BUSY_INV, .acks = 1, .req = 0, .want = WANT_RW}, stache_ack, 1, "tag(RO,RW)", ALONE, -1, 0},
    {"BUSY-INV: none counts as ack", {.state = BUSY_INV, .acks = 1, .req = 2, .want = WANT_RW}, stache_none, 1, "get(RO,I)DataRW>2", REMOTE, 2, 0},
    {"BUSY-INV: Get RO waits", {.state = BUSY_INV, .acks = 1, .req = 2, .want = WANT_RW}, stache_get_ro, 3, "", BUSY_INV, -1, 0},
    {"REMOTE: Get RO X", {.state = REMOTE, .owner = 1}, stache_get_ro, 2, "InvalRW>1", BUSY_RECALL, 1, 0},
    {"REMOTE: Get RW X", {.state = REMOTE, .owner = 1}, stache_get_rw, 2, "InvalRW>1", BUSY_RECALL, 1, 0},
    {"REMOTE: Upgrade X is Get RW", {.state = REMOTE, .owner = 1}, stache_upgrade, 2, "InvalRW>1", BUSY_RECALL, 1, 0},
    {"REMOTE: home load", {.state = REMOTE, .owner = 1}, tt_on_read_fault, 0, "InvalRW>1", BUSY_RECALL, 1, 0},
    {"REMOTE: home store", {.state = REMOTE, .owner = 1}, tt_on_write_fault, 0, "InvalRW>1", BUSY_RECALL, 1, 0},
    {"BUSY-RECALL: data, Get RO", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RO}, stache_recall, 1, "copy:DataRO>2 put(I,RO)", SHARED, -1, 4},
    {"BUSY-RECALL: data, Get RW", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RW}, stache_recall, 1, "forward:DataRW>2", REMOTE, 2, 0},
    {"BUSY-RECALL: data, Upgrade", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_UPGRADE}, stache_recall, 1, "forward:DataRW>2", REMOTE, 2, 0},
    {"BUSY-RECALL: data, home load", {.state = BUSY_RECALL, .owner = 1, .req = 0, .want = WANT_RO}, stache_recall, 1, "put(I,RW)", ALONE, -1, 0},
    {"BUSY-RECALL: data, home store", {.state = BUSY_RECALL, .owner = 1, .req = 0, .want = WANT_RW}, stache_recall, 1, "put(I,RW)", ALONE, -1, 0},
    {"BUSY-RECALL: part, Get RO", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RO}, stache_recall_part, 1, "copy:DataRO/part>2 put(part)", BUSY_RECALL, 1, 0},
    {"BUSY-RECALL: part, Get RW", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RW}, stache_recall_part, 1, "forward:DataRW/part>2", BUSY_RECALL, 1, 0},
    {"BUSY-RECALL: part, home", {.state = BUSY_RECALL, .owner = 1, .req = 0, .want = WANT_RW}, stache_recall_part, 1, "put(part)", BUSY_RECALL, 1, 0},
    {"BUSY-RECALL: Get RW waits", {.state = BUSY_RECALL, .owner = 1, .req = 2, .want = WANT_RW}, stache_get_rw, 3, "", BUSY_RECALL, 1, 0},
    {"SHARED: ack nobody waits for is an event", {.state = SHARED, .sharers = 2}, stache_ack, 1, "error", SHARED, -1, 2},
};

/* ---- copy rows ---- */
struct copy_row {
    const char *name;
    enum stache_copy_state before;
    tt_handler *event;
    const char *done;
    enum stache_copy_state after;
};
static const struct copy_row copy_rows[] = {
    {"INV: load", C_INV, tt_on_read_fault, "GetRO>1", C_P_RO},
    {"INV: store", C_INV, tt_on_write_fault, "GetRW>1", C_P_RW},
    {"RO: store", C_RO, tt_on_write_fault, "Upgrade>1", C_P_UPG},
    {"RO: load resolved meanwhile", C_RO, tt_on_read_fault, "", C_RO},
    {"RW: load resolved meanwhile", C_RW, tt_on_read_fault, "", C_RW},
    {"RW: store resolved meanwhile", C_RW, tt_on_write_fault, "", C_RW},
    {"P-RO: second CPU loads", C_P_RO, tt_on_read_fault, "", C_P_RO},
    {"P-RO: second CPU stores", C_P_RO, tt_on_write_fault, "", C_P_RO},
    {"P-RW: second CPU loads", C_P_RW, tt_on_read_fault, "", C_P_RW},
    {"P-RW: second CPU stores", C_P_RW, tt_on_write_fault, "", C_P_RW},
    {"P-UPG: second CPU stores", C_P_UPG, tt_on_write_fault, "", C_P_UPG},
    {"P-RO: data", C_P_RO, stache_data_ro, "put(I,RO)", C_RO},
    {"P-RW: data", C_P_RW, stache_data_rw, "put(I,RW)", C_RW},
    {"P-UPG: grant", C_P_UPG, stache_grant, "tag(RO,RW)", C_RW},
    {"RO: Inval RO", C_RO, stache_inval_ro, "flush(RO,I)Ack>1", C_INV},
    {"P-UPG: Inval RO", C_P_UPG, stache_inval_ro, "flush(RO,I)Ack>1", C_P_RW},
    {"P-RO: Inval RO overtakes data", C_P_RO, stache_inval_ro, "", C_P_RO_INVAL},
    {"P-RO: data after that Inval RO", C_P_RO_INVAL, stache_data_ro, "put(I,RO) flush(RO,I)Ack>1", C_INV},
    {"RW: Inval RW", C_RW, stache_inval_rw, "get(RW,I)Recall>1", C_INV},
    {"P-RW: Inval RW before data", C_P_RW, stache_inval_rw, "", C_P_RW_INVAL},
    {"P-RW: data after that Inval RW", C_P_RW_INVAL, stache_data_rw, "put(I,RW) get(RW,I)Recall>1", C_INV},
    {"P-UPG: Inval RW before grant", C_P_UPG, stache_inval_rw, "", C_P_UPG_INVAL},
    {"P-UPG: grant after that Inval RW", C_P_UPG_INVAL, stache_grant, "tag(RO,RW) get(RW,I)Recall>1", C_INV},
    {"INV: stale Inval RO", C_INV, stache_inval_ro, "None>1:0", C_INV},
    {"INV: stale Inval RW", C_INV, stache_inval_rw, "None>1:0", C_INV},
    {"P-RO: early part", C_P_RO, stache_data_part, "put(part)", C_P_RO},
    {"INV: data nobody waits for is an event", C_INV, stache_data_ro, "put(I,RO) error", C_INV},
};

static int failed;
static void report(const char *table, const char *name, const char *wanted, int state_right) {
    int ok = !strcmp(niu_log, wanted) && state_right;
    failed += !ok;
    printf("%s %s %s | %s | %s%s\n", ok ? "ok" : "FAIL", table, name, niu_log, wanted, state_right ? "" : " (next state)");
    niu_log[0] = 0;
}

/* A request that waited is served, in order, when the block is free again. */
static void fifo_row(void) {
    fresh();
    struct tt_page *p = tt_page_of(AT_HOME);
    struct stache_dir *d = stache_dir_of(p, AT_HOME);
    d->state = REMOTE;
    d->owner = 1;
    stache_get_ro(AT_HOME, from(2));
    stache_get_ro(AT_HOME, from(3));
    stache_get_rw(AT_HOME, from(1));
    tt_on_write_fault(AT_HOME, 0);
    tt_on_write_fault(AT_HOME, 0); /* a second CPU of the home joins */
    report("home", "BUSY: requests wait in order (1)", "InvalRW>1", d->state == BUSY_RECALL);
    stache_recall(AT_HOME, from(1));
    report("home", "BUSY: requests wait in order (2)", "copy:DataRO>2 put(I,RO) get(RO,RO)DataRO>3 InvalRO>2 InvalRO>3", d->state == BUSY_INV);
    stache_ack(AT_HOME, from(3));
    stache_ack(AT_HOME, from(2));
    report("home", "BUSY: requests wait in order (3)", "get(RO,I)DataRW>1 InvalRW>1", d->state == BUSY_RECALL);
    stache_recall(AT_HOME, from(1));
    report("home", "BUSY: requests wait in order (4)", "put(I,RW)", d->state == ALONE && d->head == 0 && d->home_asks == 0);
}

static void unopened_row(void) {
    fresh();
    uint32_t a = HEAP + 4 * 4096 + 128; /* page 4: home here, not open */
    stache_get_ro(a, from(3));
    report("page", "a request opens the page first", "page(RW) get(RW,RO)DataRO>3", tt_page_of(a)->state == TT_HOME);
    a = HEAP + 6 * 4096; /* page 6: home at site 2 */
    tt_on_page_fault(a, 0);
    tt_on_page_fault(a, 0);
    report("page", "the registry is asked once", "PageAsk>2", tt_page_of(a)->state == TT_ASKED);
    tt_on_page_info(a | 2 | 1 << 6, from(2));
    report("page", "the answer opens it Invalid", "page(I)", tt_page_of(a)->state == TT_REMOTE && tt_page_of(a)->home == 2);
    tt_on_page_ask(HEAP, from(3));
    report("page", "the registry answers home and size", "PageInfo>3:40", 1);
}

static void first_touch_rows(void) {
    memset(&state, 0, sizeof state);
    struct tt_config c = {TT_MAGIC, 4, 1, 7, TT_FIRST_TOUCH};
    tt_state_init(SELF, &c, HEAP);
    niu_free = 16;
    niu_log[0] = 0;
    tt_on_page_fault(HEAP, 0);
    report("first touch", "before the parallel phase home is site 0", "page(RW)", tt_page_of(HEAP)->home == 0);
    tt_page_parallel();
    report("first touch", "then site 0 keeps the data, not the home", "", tt_page_of(HEAP)->state == TT_REMOTE && *stache_copy_of(tt_page_of(HEAP), HEAP) == C_RW);
    tt_on_page_ask(HEAP, from(3));
    report("first touch", "the first toucher becomes home and learns the owner", "PageInfo>3:243", 1);
    tt_on_page_ask(HEAP, from(2));
    report("first touch", "the second learns the home", "PageInfo>2:43", 1);
    stache_inval_rw(HEAP, from(3));
    report("first touch", "the owner learns it by the recall", "get(RW,I)Recall>3", tt_page_of(HEAP)->home == 3);
    tt_on_page_fault(HEAP + 4 * 4096, 0);
    report("first touch", "a new page: the toucher is home", "page(RW)", tt_page_of(HEAP + 4 * 4096)->home == 0);
}

static void ring_row(void) {
    fresh();
    struct stache_dir *d = stache_dir_of(tt_page_of(AT_HOME), AT_HOME);
    d->state = SHARED;
    d->sharers = 14;
    niu_free = NIU_LOW_RESERVE;
    tt_on_write_fault(AT_HOME, 0);
    report("send", "a full queue: messages wait", "timer timer timer", TT.ring_tail - TT.ring_head == 3);
    niu_free = 16;
    tt_on_timer(0, 0);
    report("send", "and leave in order", "InvalRO>1 InvalRO>2 InvalRO>3", TT.ring_tail == TT.ring_head);
}

int main(void) {
    for (unsigned i = 0; i < sizeof home_rows / sizeof home_rows[0]; i++) {
        const struct home_row *r = &home_rows[i];
        fresh();
        struct stache_dir *d = stache_dir_of(tt_page_of(AT_HOME), AT_HOME);
        *d = r->before;
        r->event(AT_HOME, from(r->source));
        int right = d->state == r->state && (r->owner < 0 || d->owner == r->owner) && d->sharers == r->sharers;
        report("home", r->name, r->done, right);
    }
    for (unsigned i = 0; i < sizeof copy_rows / sizeof copy_rows[0]; i++) {
        const struct copy_row *r = &copy_rows[i];
        fresh();
        uint8_t *s = stache_copy_of(tt_page_of(AT_COPY), AT_COPY);
        *s = r->before;
        r->event(AT_COPY, from(1));
        report("copy", r->name, r->done, *s == r->after);
    }
    fifo_row();
    unopened_row();
    first_touch_rows();
    ring_row();
    return failed != 0;
}
