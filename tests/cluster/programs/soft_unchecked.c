/** \file A load, or with `store` a store, of shared memory by a function that is compiled without checks: a run with SOFT= must end by it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct {
    ts_barrier_t all;
    char apart[128];
    volatile uint32_t word;
} *s;
static int stores;

__attribute__((no_sanitize_thread, noinline)) static uint32_t unchecked(volatile uint32_t *a) {
    if (stores) *a = 7;
    return *a;
}

static void work(void) {
    if (ts_self() == 0) s->word = 5;
    ts_barrier(&s->all, 2);
    uint32_t seen = 5;
    if (ts_self() == 1) seen = unchecked(&s->word);
    ts_barrier(&s->all, 2);
    if (seen != 5 || s->word != 5) printf("seen\n");
    ts_barrier(&s->all, 2);
}

int main(int argc, char **argv) {
    stores = argc > 1 && strcmp(argv[1], "store") == 0;
    s = ts_alloc(sizeof *s);
    ts_barrier_init(&s->all, 2);
    s->word = 0;
    ts_create_all(work, 2);
    ts_wait_for_end(2);
    return 0;
}
