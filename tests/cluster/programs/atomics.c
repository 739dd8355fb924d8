/*
 * C11 atomics of all processes at once: counters of 1, 2, 4 and 8 bytes, a maximum, a lock and a stack of elements that are taken and put back.
 * What it prints does not depend on who came when, nor on whether the aPs have atomic instructions.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

enum { ELEMENTS = 8 };

static struct shared {
    ts_barrier_t all;
    _Atomic uint32_t sum, most;
    _Atomic uint64_t wide;
    _Atomic uint16_t halves[2];
    _Atomic uint8_t bytes[4];
    atomic_flag lock;
    uint32_t inside, locked;
    _Alignas(64) _Atomic uint32_t top; /* [7:0] element + 1, [31:8] a count: an element that comes back is another top */
    _Atomic uint32_t below[ELEMENTS], holder[ELEMENTS];
} *shared;
static int rounds = 20;

static uint32_t pop(void)
{
    uint32_t top = shared->top, next;
    do {
        if (!(top & 255)) return ELEMENTS;
        next = ((top >> 8) + 1) << 8 | shared->below[(top & 255) - 1];
    } while (!atomic_compare_exchange_weak(&shared->top, &top, next));
    return (top & 255) - 1;
}

static void push(uint32_t element)
{
    uint32_t top = shared->top;
    do {
        shared->below[element] = top & 255;
    } while (!atomic_compare_exchange_weak(&shared->top, &top, ((top >> 8) + 1) << 8 | (element + 1)));
}

static void work(void)
{
    uint32_t self = (uint32_t)ts_self();

    ts_barrier(&shared->all, 0);
    for (int i = 0; i < rounds; i++) {
        atomic_fetch_add(&shared->sum, self + 1);
        atomic_fetch_add(&shared->wide, 0x180000000u);
        atomic_fetch_add(&shared->halves[i & 1], 3);
        atomic_fetch_sub(&shared->bytes[i & 3], 1);
        uint32_t mine = self * 1000 + (uint32_t)i, seen = shared->most;
        while (seen < mine && !atomic_compare_exchange_strong(&shared->most, &seen, mine)) {
        }
        while (atomic_flag_test_and_set(&shared->lock)) ts_relax();
        if (shared->inside++) ts_fail("two hold the lock");
        shared->locked++;
        shared->inside--;
        atomic_flag_clear(&shared->lock);
        uint32_t element = pop();
        if (element < ELEMENTS) {
            if (atomic_exchange(&shared->holder[element], self + 1)) ts_fail("two hold element %lu", (unsigned long)element);
            if (atomic_exchange(&shared->holder[element], 0) != self + 1) ts_fail("somebody took element %lu from its holder", (unsigned long)element);
            push(element);
        }
    }
    ts_barrier(&shared->all, 0);
}

int main(int argc, char **argv)
{
    int n = ts_processes(), left = 0;

    if (argc > 1) rounds = atoi(argv[1]);
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, n);
    shared->sum = shared->most = shared->inside = shared->locked = shared->top = 0;
    shared->wide = 0;
    for (int i = 0; i < 4; i++) shared->bytes[i] = 0, shared->halves[i & 1] = 0;
    atomic_flag_clear(&shared->lock);
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        shared->holder[e] = 0;
        push(e);
    }
    ts_create_all(work, n);
    while (pop() < ELEMENTS) left++;
    printf("sum %lu, wide %llx, halves %u %u, bytes %u %u %u %u, most %lu, locked %lu, elements %d\n", (unsigned long)shared->sum,
           (unsigned long long)shared->wide, shared->halves[0], shared->halves[1], shared->bytes[0], shared->bytes[1], shared->bytes[2], shared->bytes[3],
           (unsigned long)shared->most, (unsigned long)shared->locked, left);
    ts_wait_for_end(n - 1);
    return 0;
}
