/*
 * The program of a conducted run (docs/design/checker.md#held-to-the-rtl): each process does one access at a time, when the simulator
 * orders it. Arguments: page mode, blocks, bytes of a block, and
 * the service that makes stores visible, if the mode has one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <turnstile.h>
#include <turnstile_conducted.h>

enum { PAGE = 4096, CACHE = 8192, CELL = 128 };

/* The data cache is direct mapped: a line of `conflicting` drives out the line of the same set. Orders lie in a set of their own. */
static struct {
    volatile uint8_t conflicting[CACHE / 2];
    volatile uint8_t and_more[CACHE / 2];
} window __attribute__((aligned(CACHE)));
struct tt_order volatile __tt_order __attribute__((aligned(CACHE / 4))) = {0, 0, 0, 0};

static uintptr_t page;
static uint32_t blocks, block;
static const char *service;
static ts_barrier_t all;

static void evict(uintptr_t address) { (void)*((volatile uint8_t *)&window + address % CACHE); }

static void work(void)
{
    if (ts_self() == 0)
        for (uint32_t at = 0; at < blocks * block; at += CELL) {
            *(volatile uint32_t *)(page + at) = ~at;
            evict(page + at);
        }
    ts_barrier(&all, 0);
    (void)*(volatile uint32_t *)(page + PAGE - block); /* opens the page at this site */
    if (service) ts_call(0, service, 0); /* from now on its tag is known */
    ts_barrier(&all, 0);
    ts_mark(TS_CONDUCT_READY);
    for (uint32_t done = 0;;) {
        uint32_t number = __tt_order.number;
        if (number == done) continue;
        done = number;
        volatile uint32_t *const word = (volatile uint32_t *)(uintptr_t)__tt_order.address;
        switch (__tt_order.what) {
        case TS_CONDUCT_LOAD: (void)*word; break;
        case TS_CONDUCT_STORE: *word = __tt_order.value; break;
        case TS_CONDUCT_EVICT: evict((uintptr_t)word); break;
        case TS_CONDUCT_CALL:
            ts_call(0, service, 0);
            ts_mark(TS_CONDUCT_ANSWERED);
            break;
        default: return;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5) ts_fail("conducted: arguments are page mode, blocks, bytes of a block, and perhaps a service");
    blocks = (uint32_t)atoi(argv[2]);
    block = (uint32_t)atoi(argv[3]);
    service = argv[4]; /* or the null at the end */
    page = (uintptr_t)ts_alloc_mode(PAGE, 0, (int)block, argv[1]);
    ts_barrier_init(&all, ts_processes());
    ts_mark((uint32_t)page);
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    return 0;
}
