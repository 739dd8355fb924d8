/** \file Low messages leave only when their answers have places, and when the transmit queue has room (docs/design/reservations.md). */
#include "recorder.h"
#include "stache_rows.h"
#include <stdio.h>
#include <string.h>

enum { PAGE = 4096, LEAST_EVENTS = 48, LEAST_SLOTS = 40 };

/* Site 0 among 64, page 0 open here and page 1 at site 1, the smallest FIFOs that the firmware takes: a block of 2 KB at a time for
 * its aPs, one as a home, and 16 words. */
static void smallest(uint32_t shift) {
    fresh_site(shift, TT_ROUND_ROBIN, LEAST_EVENTS, LEAST_SLOTS);
    TT.sites = 64;
    tt_page_touch(tt_page_of(HEAP), HEAP);
    tt_page_touch(tt_page_of(HEAP + PAGE), HEAP + PAGE);
    event(tt_on_page_info, (HEAP + PAGE) | 1 | (shift - 6) << 6, 1);
    row("(start)", "page(RW)@0 PageAsk>1@1000 page(I)@1000", 1);
}

static void blocks(void) {
    smallest(11);
    event(tt_on_read_fault, HEAP + PAGE, 0);
    event(tt_on_write_fault, HEAP + PAGE + 2048, 0);
    row("a second block of 2 KB waits for the places of the first", "GetRO>1@1000", places_taken(TT_BLOCK) == 16);
    for (int i = 0; i < 15; i++)
        event(stache_data_part, HEAP + PAGE + i * 128, 1);
    char parts[1000] = "";
    for (int i = 0; i < 15; i++)
        sprintf(parts + strlen(parts), "%sput(part)@%x#9", i ? " " : "", PAGE + i * 128);
    row("until its last part has come", parts, places_taken(TT_BLOCK) == 1);
    event(stache_data_ro, HEAP + PAGE, 1);
    row("then it leaves", "put(I,RO)@1000+2048#9 GetRW>1@1800", places_taken(TT_BLOCK) == 16);
    for (int i = 0; i < 15; i++)
        event(stache_data_part, HEAP + PAGE + 2048 + i * 128, 1);
    event(stache_data_rw, HEAP + PAGE + 2048, 1);
    memset(parts, 0, sizeof parts);
    for (int i = 0; i < 15; i++)
        sprintf(parts + strlen(parts), "put(part)@%x#9 ", PAGE + 2048 + i * 128);
    strcat(parts, "put(I,RW)@1800+2048#9");
    row("and its places are free again", parts, places_taken(TT_BLOCK) == 0);
    event(tt_on_write_fault, HEAP + PAGE, 0);
    event(stache_grant, HEAP + PAGE, 1);
    row("a grant frees the places of the data that did not come", "Upgrade>1@1000 tag(RO,RW)@1000+2048", places_taken(TT_BLOCK) == 0);
}

/* Sixteen blocks of 128 B, then one more. */
static void small_blocks(void) {
    smallest(7);
    for (int i = 0; i < 17; i++)
        event(tt_on_read_fault, HEAP + PAGE + i * 128, 0);
    row("sixteen blocks of 128 B are asked for at once",
        "GetRO>1@1000 GetRO>1@1080 GetRO>1@1100 GetRO>1@1180 GetRO>1@1200 GetRO>1@1280 GetRO>1@1300 GetRO>1@1380 GetRO>1@1400 GetRO>1@1480 "
        "GetRO>1@1500 GetRO>1@1580 GetRO>1@1600 GetRO>1@1680 GetRO>1@1700 GetRO>1@1780", places_taken(TT_BLOCK) == 16);
    event(stache_data_ro, HEAP + PAGE + 3 * 128, 1);
    row("the next when any of them has come", "put(I,RO)@1180+128#9 GetRO>1@1800", places_taken(TT_BLOCK) == 16);
    event(tt_on_read_fault, HEAP + PAGE + 17 * 128, 0);
    niu_free = 1;
    event(stache_data_ro, HEAP + PAGE, 1);
    row("even into entries of the transmit queue that are kept for requests", "put(I,RO)@1000+128#9 GetRO>1@1880", places_taken(TT_BLOCK) == 16);
}

static void recalls(void) {
    smallest(10);
    struct stache_dir *d = stache_dir_of(tt_page_of(HEAP), HEAP);
    for (int i = 0; i < 4; i++)
        d[i] = (struct stache_dir){.state = REMOTE, .owner = 5};
    for (int i = 0; i < 3; i++)
        event(stache_get_rw, HEAP + i * 1024, 2);
    event(tt_on_read_fault, HEAP + 3 * 1024, 0);
    row("two blocks of 1 KB are recalled at once, others wait", "InvalRW>5@0 InvalRW>5@400", d[2].state == BUSY_RECALL && d[3].state == BUSY_RECALL);
    for (int i = 0; i < 8; i++)
        event(i < 7 ? stache_recall_part : stache_recall, HEAP + i % 7 * 128, 5);
    char done[2000] = "";
    for (int i = 0; i < 7; i++)
        sprintf(done + strlen(done), "forward:DataRW/part>2@%x#9 ", i * 128);
    strcat(done, "forward:DataRW>2@0#9 InvalRW>5@800");
    row("the third when the first has come", done, places_taken(TT_RECALLED) == 16);
}

static void acks(void) {
    smallest(7);
    struct stache_dir *d = stache_dir_of(tt_page_of(HEAP), HEAP);
    *d = (struct stache_dir){.state = SHARED, .sharers = 0xFFFFFFFFFFFFFFFEull};
    event(stache_get_rw, HEAP, 7);
    char done[2000] = "";
    for (int i = 1, n = 0; n < 16; i++)
        if (i != 7)
            sprintf(done + strlen(done), "%sInvalRO>%d@0", n++ ? " " : "", i);
    row("of 62 sharers 16 are told", done, d->acks == 62 && d->state == BUSY_INV);
    event(tt_on_page_fault, HEAP + 2 * PAGE, 0);
    row("a question to a registry waits behind them", "", tt_page_of(HEAP + 2 * PAGE)->state == TT_ASKED);
    int wrong = 0;
    for (int i = 18; i < 64; i++) {
        event(stache_ack, HEAP, 1 + i % 5);
        sprintf(done, "InvalRO>%d@0", i);
        if (i == 18 || i == 31 || i == 32 || i == 63)
            row("an ack lets the next leave", done, places_taken(TT_WORD) == 16);
        else
            wrong += !log_is(done);
    }
    event(stache_none, HEAP, 1);
    row("then the question", "PageAsk>2@2000", d->acks == 15 && !wrong);
    for (int i = 0; i < 15; i++)
        event(stache_ack, HEAP, 1);
    row("the last ack grants", "get(RO,I)DataRW>7@0+128", d->state == REMOTE && places_taken(TT_WORD) == 1);
}

static void transmit_queue(void) {
    fresh(7);
    struct stache_dir *d = stache_dir_of(tt_page_of(AT_HOME), AT_HOME);
    d->state = SHARED;
    d->sharers = 14;
    niu_free = NIU_LOW_RESERVE;
    event(tt_on_write_fault, AT_HOME, 0);
    row("a full transmit queue: messages wait", "timer", d->acks == 3 && d->sharers == 14 && places_taken(TT_WORD) == 0);
    event(tt_on_timer, 0, 0);
    row("the timer finds it full: again later", "timer", 1);
    event(tt_on_read_fault, AT_COPY, 0);
    row("a request of an access has its entry", "GetRO>1@1280", 1);
    niu_free = 16;
    event(tt_on_timer, 0, 0);
    row("then they leave in order", "InvalRO>1@180 InvalRO>2@180 InvalRO>3@180", d->sharers == 0 && places_taken(TT_WORD) == 3);
}

/* The lists are walked round many times: nothing is lost, doubled or put out of order where they wrap. */
static void wraps(void) {
    fresh(7);
    uint32_t right = 0;
    for (uint32_t i = 0; i < 3 * TT_WAITERS; i++) {
        uint32_t page = 5 + i % 3;
        niu_free = NIU_LOW_RESERVE;
        for (uint32_t k = 0; k < 3; k++)
            tt_ask(1 + k, TT_PAGE_ASK, HEAP + (page + k) * PAGE);
        tt_answer_name(2 << 3 | 2, 1, i);
        niu_free = 16;
        event(tt_on_timer, 0, 0);
        char wanted[200];
        sprintf(wanted, "timer answer1:%u>2.2 PageAsk>1@%x PageAsk>2@%x PageAsk>3@%x", i, page * PAGE, (page + 1) * PAGE, (page + 2) * PAGE);
        right += log_is(wanted);
        for (int k = 0; k < 3; k++)
            tt_answered(TT_WORD, 1);
    }
    row("768 rounds of messages that wait, in order", "", right == 3 * TT_WAITERS && places_taken(TT_WORD) == 0);
}

static void too_few_events(void) { fresh_site(7, TT_ROUND_ROBIN, LEAST_EVENTS - 1, LEAST_SLOTS); }
static void too_few_slots(void) { fresh_site(7, TT_ROUND_ROBIN, LEAST_EVENTS, LEAST_SLOTS - 1); }
static void no_slots(void) { fresh_site(7, TT_ROUND_ROBIN, 512, 2); }
static void one_answer_too_many(void) { tt_answered(TT_RECALLED, 1); }
static void impossible(void) {
    until_panic(too_few_events);
    row("fewer events than the largest blocks need stop the sP at once", "panic", 1);
    until_panic(too_few_slots);
    row("so do fewer slots", "panic", 1);
    until_panic(no_slots);
    row("and hardly any slots", "panic", 1);
    fresh(7);
    until_panic(one_answer_too_many);
    row("an answer that nobody asked for stops the sP", "panic", 1);
}

void place_rows(void) {
    static const struct sequence list[] = {{blocks, 6}, {small_blocks, 4}, {recalls, 3}, {acks, 9}, {transmit_queue, 4}, {wraps, 1}, {impossible, 4}};
    SEQUENCES("places", list);
}
