/** \file The framework under ztest: what a handler does is what the NIU is told, as tests/protocol writes it. */
#include "recorder.h"
#include "services.h"
#include "stache.h"
#include <zephyr/ztest.h>

/* Of the recorder's own main(), which does not run here. */
void tables(void) {}

static void begin(void *fixture) {
    ARG_UNUSED(fixture);
    fresh(7);
}

ZTEST_SUITE(tempest, NULL, NULL, begin, NULL, NULL);

ZTEST(tempest, test_a_load_of_a_copy_asks_its_home_and_the_data_is_put) {
    event(tt_on_read_fault, AT_COPY, 0);
    zassert_true(log_is("GetRO>1@1280"));
    zassert_equal(places_taken(TT_BLOCK), 1);
    event(stache_data_ro, AT_COPY, 1);
    zassert_true(log_is("put(I,RO)@1280+128#9"));
    zassert_equal(places_taken(TT_BLOCK), 0);
}

ZTEST(tempest, test_the_home_answers_a_read_by_one_command) {
    event(stache_get_ro, AT_HOME, 2);
    zassert_true(log_is("get(RW,RO)DataRO>2@180+128"));
}

ZTEST(tempest, test_a_page_is_opened_by_the_first_request) {
    uint32_t a = HEAP + 4 * 4096 + 128;
    event(stache_get_ro, a, 3);
    zassert_true(log_is("page(RW)@4000 get(RW,RO)DataRO>3@4080+128"));
    zassert_equal(tt_page_of(a)->state, TT_HOME);
}

ZTEST(tempest, test_a_request_that_finds_the_queue_full_leaves_later) {
    niu_free = 0;
    event(tt_on_page_fault, HEAP + 6 * 4096, 0);
    zassert_true(log_is("timer"));
    niu_free = 16;
    event(tt_on_timer, 0, 0);
    zassert_true(log_is("PageAsk>2@6000"));
}

ZTEST(tempest, test_a_lock_goes_to_the_first_that_waits) {
    uint32_t first = (1 << 3 | 2) << 15 | 1, second = (2 << 3 | 3) << 15 | 2;
    service_lock_acquire(8, first);
    zassert_true(log_is("answer1:8>1.2"));
    service_lock_acquire(8, second);
    zassert_true(log_is(""));
    service_lock_release(8, first);
    zassert_true(log_is("answer1:8>2.3"));
}
