/** \file Locks, barriers, placement of pages: what aPs ask of an sP and what they are told (BZ-28, contract §8). */
#include "recorder.h"
#include "stache_rows.h"
#include "services.h"

/* META of a service message from aP `ap` of a site. */
static uint32_t from(uint32_t site, uint32_t ap) { return (site << 3 | (2 + ap)) << 15 | site; }

static void locks(void) {
    fresh(7);
    service_lock_acquire(8, from(1, 0));
    row("a free lock is granted at once", "answer1:8>1.2", 1);
    service_lock_acquire(8, from(2, 1));
    service_lock_acquire(8, from(0, 3));
    row("a held one is not", "", 1);
    service_lock_release(8, from(1, 0));
    row("a release grants it to the first that waits", "answer1:8>2.3", 1);
    service_lock_release(8, from(0, 3));
    row("nobody releases what another holds", "complaint answer2:4294967295>0.5", TT.sync.locks[2].owner == 2 * 4 + 1 + 1);
    service_lock_release(8, from(2, 1));
    row("then to the second", "answer1:8>0.5", 1);
    service_lock_release(8, from(0, 3));
    service_lock_acquire(8, from(3, 0));
    row("when nobody waits it is free", "answer1:8>3.2", TT.sync.locks[2].last == 0);
    service_lock_acquire(12, from(2, 0));
    row("another lock is another lock", "answer1:12>2.2", 1);
}

static void no_such_lock(void) {
    fresh(7);
    service_lock_acquire(9, from(1, 0));
    row("a lock of another site is refused", "complaint answer1:4294967295>1.2", 1);
    service_lock_acquire(SYNC_LOCKS * 4, from(1, 0));
    service_lock_release(0xFFFFFFFF, from(1, 0));
    row("one beyond the last, too", "complaint answer1:4294967295>1.2 complaint answer2:4294967295>1.2", 1);
    service_unknown(5, from(1, 1) | 31u << 25);
    row("a tag without a service is refused", "complaint answer31:4294967295>1.3", 1);
}

static void one_wait_an_ap(void) {
    fresh(7);
    service_lock_acquire(8, from(1, 0));
    service_lock_acquire(8, from(2, 0));
    for (uint32_t i = 3; i < 300; i++)
        service_lock_acquire(i % 3 ? 8 : 12, from(2, 0));
    service_barrier(9 | 2 << 16, from(2, 0));
    row("an aP that waits is refused all else, however often it asks", "", !log_is(""));
    service_lock_acquire(8, from(3, 0));
    service_lock_release(8, from(1, 0));
    row("and has its turn", "answer1:8>2.2", 1);
    service_lock_release(8, from(2, 0));
    row("and so has the next", "answer1:8>3.2", 1);
    service_lock_release(8, from(3, 0));
    for (uint32_t ap = 0; ap < SYNC_APS; ap++)
        service_lock_acquire(8, from(ap / 4, ap % 4));
    log_is("");
    for (uint32_t ap = 0; ap < SYNC_APS; ap++)
        service_lock_release(8, from(ap / 4, ap % 4));
    row("all aPs of the largest cluster wait for one lock", "", TT.sync.locks[2].owner == 0 && !log_is(""));
}

static void barriers(void) {
    fresh(7);
    uint32_t word = 7 | 3 << 16;
    service_barrier(word, from(3, 3));
    service_barrier(word, from(0, 0));
    row("a barrier waits for all of its count", "", TT.sync.barriers[0].arrived == 2);
    service_barrier(6 | 1 << 16, from(2, 0));
    row("another barrier is another barrier", "answer3:6>2.2", 1);
    service_barrier(word, from(1, 2));
    row("the last arrival lets all go, each once", "answer3:7>3.5 answer3:7>0.2 answer3:7>1.4", TT.sync.barriers_used == 0);
    service_barrier(7 | 2 << 16, from(1, 2));
    row("and it can be used again", "", TT.sync.barriers[0].arrived == 1);
    service_barrier(word, from(0, 1));
    service_barrier(7 | 0 << 16, from(0, 1));
    service_barrier(8 | 5 << 16, from(0, 1));
    row("a second count for it, none, and more than there are aPs are refused",
        "complaint answer3:4294967295>0.3 complaint answer3:4294967295>0.3 complaint answer3:4294967295>0.3", TT.sync.barriers_used == 1);
}

static void many_barriers(void) {
    fresh(7);
    TT.sites = 64, TT.aps = 4;
    for (uint32_t ap = 0; ap < SYNC_APS; ap++)
        service_barrier(ap | 2 << 16, from(ap / 4, ap % 4));
    row("each aP of the largest cluster in a barrier of its own", "", TT.sync.barriers_used == SYNC_APS);
    service_barrier(1000 | 2 << 16, from(9, 3));
    row("one more is refused", "complaint answer3:4294967295>9.5", 1);
}

static void whole_cluster_in_a_barrier(void) {
    fresh(7);
    TT.sites = 64, TT.aps = 4;
    niu_free = NIU_LOW_RESERVE;
    for (uint32_t i = 0; i < 256; i++)
        service_barrier(1 | 256 << 16, from(i / 4, i % 4));
    row("256 answers wait for the transmit queue", "timer", TT.answers_tail - TT.answers_head == 256);
    service_lock_acquire(0, from(1, 0));
    row("an aP with an answer on its way has no place for a second", "complaint", TT.answers_tail - TT.answers_head == 256);
}

static void page_set(void) {
    fresh_site(7, TT_ROUND_ROBIN, 512, 56);
    uint32_t page = 4, given = 1 << 26;
    service_page_set(page | 8 << 16 | 3 << 20 | given, from(1, 0));
    row("PAGE_SET gives a page its home and size", "answer4:0>1.2", 1);
    event(tt_on_page_ask, HEAP + page * 4096, 2);
    row("as the registry then says", "PageInfo>2@4083", 1);
    event(tt_on_page_fault, HEAP + 8 * 4096, 0);
    service_page_set(8 | 7 << 16, from(2, 2));
    row("a touched page keeps what it has", "page(RW)@8000 answer4:1>2.4", 1);
    service_page_set(12 | 12 << 16, from(1, 0));
    service_page_set(12 | 5 << 16, from(1, 0));
    service_page_set(12 | 4u << 20 | given, from(1, 0));
    service_page_set(13 | 7 << 16, from(1, 0));
    service_page_set(TT_PAGES | 7 << 16, from(1, 0));
    row("size, home, registry and index are checked", "answer4:2>1.2 answer4:2>1.2 answer4:2>1.2 answer4:2>1.2 answer4:2>1.2", 1);
    service_page_set(16 | 6 << 16, from(1, 0));
    event(tt_on_page_fault, HEAP + 16 * 4096, 0);
    row("a block of 64 bytes opens so", "answer4:0>1.2 page(RW)@10000", tt_page_of(HEAP + 16 * 4096)->shift == 6);
}

static void parallel(void) {
    fresh_site(7, TT_FIRST_TOUCH, 512, 56);
    service_parallel(5, from(0, 1));
    row("PARALLEL is process 0's to say", "complaint answer5:4294967295>0.3", !TT.parallel);
    service_parallel(5, from(0, 0));
    row("PARALLEL is answered and remembered", "answer5:5>0.2", TT.parallel);
}

void service_rows(void) {
    static const struct sequence list[] = {{locks, 7}, {no_such_lock, 3}, {one_wait_an_ap, 4}, {barriers, 5}, {many_barriers, 2},
                                           {whole_cluster_in_a_barrier, 2}, {page_set, 5}, {parallel, 2}};
    SEQUENCES("service", list);
}
