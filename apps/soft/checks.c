/** \file
 * What gcc calls before each load and store of a program (-fsanitize=thread): the fine-grain access control of BZ-19. A program's own memory is told by
 * its address. A check that passes is as short as it can be; all else is `slow`.
 */
#include "soft.h"

#include <niu_regs.h>

/* Among the small data of the program, which an instruction reaches. What a new process copies of them does no harm. */
int32_t soft_left __attribute__((section(".checks"))) = SOFT_CHECKS;
uintptr_t soft_stored __attribute__((section(".checks")));

enum { HEAP_BYTES = HEAP_END - HEAP_BASE, LINE = 1 << SOFT_LINE_SHIFT, PAUSE = 64 };

/* The table as if it began with address 0: an instruction less. */
static inline int refused(uintptr_t a, uint32_t needs) {
    const uint8_t *const from_zero = (const uint8_t *)((uintptr_t)__soft_tags - (HEAP_BASE >> SOFT_LINE_SHIFT));
    return a - HEAP_BASE < HEAP_BYTES && from_zero[a >> SOFT_LINE_SHIFT] & needs;
}

/* The first place in [a, a + bytes) that is refused, or 0. */
static uintptr_t first_refused(uintptr_t a, uint32_t bytes, uint32_t needs) {
    for (const uintptr_t end = a + bytes; a < end; a = (a & -LINE) + LINE)
        if (refused(a, needs))
            return a;
    return 0;
}

/* gcc checks a copy's target before its source, and nothing between: what the last store was allowed must still be when a load is. Two sites that need two
 * blocks of each other at a time get them in turn: each waits a time of its own. */
static void both(uintptr_t a, uint32_t bytes, uint32_t needs, uintptr_t stored) {
    for (uint32_t round = 0;; round++) {
        uintptr_t at = first_refused(a, bytes, needs);
        const uint32_t of = at ? needs : SOFT_STORE;
        if (!at && !(stored && (at = first_refused(stored, bytes, SOFT_STORE))))
            return;
        for (uint32_t i = round > 2 ? soft_site() * PAUSE : 0; i; i--)
            soft_poll();
        soft_fault(at, of);
    }
}

static __attribute__((noinline)) void slow(uintptr_t a, uint32_t bytes, uint32_t needs) {
    const uintptr_t stored = needs == SOFT_LOAD && !first_refused(soft_stored, bytes, SOFT_STORE) ? soft_stored : 0;
    if (soft_left <= 0)
        while (soft_poll()) {
        }
    both(a, bytes, needs, stored);
    soft_left = soft_put_off() ? 1 : SOFT_CHECKS;
}

/* The string functions of the firmware's part use them, too, on memory of the aP's own: nothing may be handled then. */
void soft_load(uintptr_t a, uint32_t bytes) {
    if (a - HEAP_BASE >= HEAP_BYTES)
        return;
    if (--soft_left <= 0 || first_refused(a, bytes, SOFT_LOAD))
        slow(a, bytes, SOFT_LOAD);
}
void soft_store(uintptr_t a, uint32_t bytes) {
    if (a - HEAP_BASE >= HEAP_BYTES)
        return;
    soft_stored = a;
    if (--soft_left <= 0 || first_refused(a, bytes, SOFT_STORE))
        slow(a, bytes, SOFT_STORE);
}

/* Aligned to their size, so in one line. */
#define ALIGNED(bytes)                                           \
    void __tsan_read##bytes(void *a);                            \
    void __tsan_read##bytes(void *a) {                           \
        if (--soft_left <= 0 || refused((uintptr_t)a, SOFT_LOAD)) \
            slow((uintptr_t)a, bytes, SOFT_LOAD);                \
    }                                                            \
    void __tsan_write##bytes(void *a);                           \
    void __tsan_write##bytes(void *a) {                          \
        soft_stored = (uintptr_t)a;                              \
        if (--soft_left <= 0 || refused((uintptr_t)a, SOFT_STORE)) \
            slow((uintptr_t)a, bytes, SOFT_STORE);               \
    }
ALIGNED(1)
ALIGNED(2)
ALIGNED(4)
ALIGNED(8)
ALIGNED(16)

#define UNALIGNED(bytes)                                                                              \
    void __tsan_unaligned_read##bytes(void *a);                                                       \
    void __tsan_unaligned_read##bytes(void *a) { soft_load((uintptr_t)a, bytes); }                    \
    void __tsan_unaligned_write##bytes(void *a);                                                      \
    void __tsan_unaligned_write##bytes(void *a) { soft_store((uintptr_t)a, bytes); }
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

void __tsan_read_range(void *a, uint32_t bytes);
void __tsan_read_range(void *a, uint32_t bytes) { soft_load((uintptr_t)a, bytes); }
void __tsan_write_range(void *a, uint32_t bytes);
void __tsan_write_range(void *a, uint32_t bytes) { soft_store((uintptr_t)a, bytes); }
void __tsan_init(void);
void __tsan_init(void) {}
