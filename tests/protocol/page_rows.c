/** \file Pages: registry, first touch, and requests for pages that are not open yet (BZ-04, BZ-27). */
#include "recorder.h"
#include "stache_rows.h"

enum { PAGE = 4096 };

static void opening(void) {
    fresh(7);
    uint32_t a = HEAP + 4 * PAGE + 128; /* home here, not open */
    event(stache_get_ro, a, 3);
    row("a request opens the page first", "page(RW)@4000 get(RW,RO)DataRO>3@4080+128", tt_page_of(a)->state == TT_HOME);
    a = HEAP + 6 * PAGE; /* registry and home at site 2 */
    event(tt_on_page_fault, a + 64, 0);
    event(tt_on_page_fault, a, 0);
    row("the registry is asked once", "PageAsk>2@6000", tt_page_of(a)->state == TT_ASKED && places_taken(TT_WORD) == 1);
    event(tt_on_page_info, a | 2 | 1 << 6, 2);
    row("the answer opens it Invalid", "page(I)@6000", tt_page_of(a)->state == TT_REMOTE && tt_page_of(a)->home == 2 && places_taken(TT_WORD) == 0);
    event(tt_on_page_ask, HEAP, 3);
    row("the registry answers home and size", "PageInfo>3@40", 1);
}

static void first_touch(void) {
    fresh_site(7, TT_FIRST_TOUCH, 512, 56);
    event(tt_on_page_fault, HEAP, 0);
    row("before the parallel phase home is site 0", "page(RW)@0", tt_page_of(HEAP)->home == 0);
    tt_page_parallel();
    row("then site 0 keeps the data, not the home", "", tt_page_of(HEAP)->state == TT_REMOTE && *stache_copy_of(tt_page_of(HEAP), HEAP) == C_RW);
    event(tt_on_page_ask, HEAP, 3);
    row("the first toucher becomes home and learns the owner", "PageInfo>3@243", 1);
    event(tt_on_page_ask, HEAP, 2);
    row("the second learns the home", "PageInfo>2@43", 1);
    event(stache_inval_rw, HEAP, 3);
    row("the owner learns it by the recall", "get(RW,I)Recall>3@0+128", tt_page_of(HEAP)->home == 3);
    event(tt_on_page_fault, HEAP + 4 * PAGE, 0);
    row("a new page: the toucher is home", "page(RW)@4000", tt_page_of(HEAP + 4 * PAGE)->home == 0);
}

/* Site 0 is made home of page 1, whose registry is site 1, and hears of it from those who ask it for blocks. */
static void deferred(void) {
    fresh_site(7, TT_ROUND_ROBIN, 512, 56);
    uint32_t a = HEAP + PAGE + 0x280, b = HEAP + 5 * PAGE;
    event(stache_get_ro, a, 2);
    event(stache_get_ro, b, 3);
    event(stache_get_rw, a, 3);
    row("requests before the page is open wait, the registry is asked", "PageAsk>1@1000 PageAsk>1@5000", TT.deferred_count == 3);
    event(tt_on_page_info, (a & ~0xFFFu) | 0 | 1 << 6, 1);
    row("they are served in order, those of other pages wait on",
        "page(RW)@1000 get(RW,RO)DataRO>2@1280+128 InvalRO>2@1280", TT.deferred_count == 1);
    event(tt_on_page_info, b | 0 | 1 << 6, 1);
    row("until theirs is open", "page(RW)@5000 get(RW,RO)DataRO>3@5000+128", TT.deferred_count == 0);
}

static void every_ap_asks(void) {
    fresh_site(7, TT_ROUND_ROBIN, 512, 56);
    uint32_t a = HEAP + PAGE;
    for (int i = 0; i < 63 * 4; i++)
        event(stache_get_ro, a + i % 32 * 128, 1 + i % 3);
    row("as many as 63 sites of 4 aPs can send may wait", "PageAsk>1@1000", TT.deferred_count == 252);
}

static void one_more(void) {
    for (int i = 0; i < 5; i++)
        event(stache_get_ro, HEAP + PAGE, 1);
}
static void more_than_there_are(void) {
    every_ap_asks();
    until_panic(one_more);
    row("more than there are stop the sP", "panic", TT.deferred_count == TT_DEFERRED);
}

/* The records of most pages of a large heap are in DRAM. */
static void beyond(void) {
    fresh_large(TT_FIRST_TOUCH);
    const uint32_t last = TT_MOST_PAGES - 4, a = HEAP + last * PAGE, b = a + PAGE;
    event(tt_on_page_fault, a + 64, 0);
    row("a page beyond the sP's RAM opens", "page(RW)@1bffc000", tt_page_of(a)->state == TT_HOME && tt_page_of(a - PAGE)->state == TT_UNMAPPED);
    tt_page_parallel();
    row("it floats as others do", "", tt_page_of(a)->state == TT_REMOTE);
    event(tt_on_page_ask, a, 3);
    row("its registry answers with bit 28 of its address in bit 11", "PageInfo>3@bffca43", 1);
    event(tt_on_page_fault, b, 0);
    event(tt_on_page_info, (b & 0x0FFFF000) | 1 << 11 | 1 << 6 | 1, 1);
    row("the answer of another's opens the page it is about", "PageAsk>1@1bffd000 page(I)@1bffd000", tt_page_of(b)->home == 1);
    const uint32_t set = ((last - 4) & 0xFFFF) | 1u << 31 | 6 << 16 | 1 << 20 | 1 << 26;
    row("PAGE_SET has a 17th bit of the page", "", tt_page_set(set) == 0 && tt_page_set(set) == 1 && tt_page_set(set + 8) == 2);
    event(tt_on_page_ask, a - 4 * PAGE, 3);
    row("and what it said is kept", "PageInfo>3@bff8801", 1);
}

void page_rows(void) {
    static const struct sequence list[] = {{opening, 4}, {first_touch, 6}, {deferred, 3}, {beyond, 6}, {more_than_there_are, 2}};
    SEQUENCES("page", list);
}
