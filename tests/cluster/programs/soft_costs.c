/** \file What an access costs with SOFT= (docs/design/soft.md): cycles of checks that pass and of misses that an idle site answers, and of the same without SOFT=. */
#include <stdint.h>
#include <stdio.h>

enum { TIMES = 256, BLOCK = 128, BLOCKS = 16 };

static struct shared {
    ts_barrier_t all;
    uint32_t hits[16];
} *s;
static volatile uint32_t own[16];
static volatile char *blocks; /* at home where process 0 is */

static void say(const char *what, unsigned long cycles, int times) { printf("costs: %s %lu.%lu\n", what, cycles / times, cycles * 10 / times % 10); }

__attribute__((no_sanitize_thread, noinline)) static unsigned long unchecked(volatile uint32_t *a) {
    unsigned long begin = ts_clock();
    for (int i = 0; i < TIMES; i++) (void)a[i & 15];
    return ts_clock() - begin;
}
__attribute__((noinline)) static unsigned long loads(volatile uint32_t *a) {
    unsigned long begin = ts_clock();
    for (int i = 0; i < TIMES; i++) (void)a[i & 15];
    return ts_clock() - begin;
}
__attribute__((noinline)) static unsigned long stores(volatile uint32_t *a) {
    unsigned long begin = ts_clock();
    for (int i = 0; i < TIMES; i++) a[i & 15] = (uint32_t)i;
    return ts_clock() - begin;
}

static void hits(void) {
    stores(own), stores(s->hits), unchecked(own), loads(own);
    say("load", unchecked(s->hits), TIMES);
    say("load-checked", loads(s->hits), TIMES);
    say("private-load-checked", loads(own), TIMES);
    say("store-checked", stores(s->hits), TIMES);
}

static void misses(void) {
    unsigned long begin = ts_clock();
    for (int i = 0; i < BLOCKS; i++) (void)blocks[i * BLOCK];
    say("read-miss", ts_clock() - begin, BLOCKS);
    begin = ts_clock();
    for (int i = 0; i < BLOCKS; i++) blocks[i * BLOCK] = 1;
    say("upgrade", ts_clock() - begin, BLOCKS);
    begin = ts_clock();
    for (int i = BLOCKS; i < 2 * BLOCKS; i++) blocks[i * BLOCK] = 1;
    say("write-miss", ts_clock() - begin, BLOCKS);
}

static void work(void) {
    if (ts_self() == 1) {
        hits();
        (void)blocks[2 * BLOCKS * BLOCK];
        misses();
    }
    ts_barrier(&s->all, 2);
}

int main(void) {
    s = ts_alloc(sizeof *s);
    ts_barrier_init(&s->all, 2);
    blocks = ts_alloc_at(4096 * 2, 0);
    for (int i = 0; i < 8192; i++) blocks[i] = 0;
    ts_create_all(work, 2);
    ts_wait_for_end(2);
    return 0;
}
