/** \file
 * C11 atomic operations of a program with checks: gcc calls these. One aP a site, and no message is handled between the check of a store and the next
 * check, so what is done to a block that may be written is atomic for all sites.
 */
#include "soft.h"

#include <stdbool.h>

#define CHANGE(bits, type, name, expression)                                                   \
    type __tsan_atomic##bits##_##name(volatile type *a, type operand, int order);              \
    type __tsan_atomic##bits##_##name(volatile type *a, type operand, int order) {             \
        (void)order;                                                                           \
        soft_store((uintptr_t)a, sizeof *a);                                                   \
        const type old = *a;                                                                   \
        *a = (expression);                                                                     \
        return old;                                                                            \
    }

#define COMPARE(bits, type, name)                                                                                    \
    bool __tsan_atomic##bits##_compare_exchange_##name(volatile type *a, type *expected, type desired, int success, int failure); \
    bool __tsan_atomic##bits##_compare_exchange_##name(volatile type *a, type *expected, type desired, int success, int failure) { \
        (void)success, (void)failure;                                                                                \
        soft_store((uintptr_t)a, sizeof *a);                                                                         \
        const type old = *a;                                                                                         \
        const bool same = old == *expected;                                                                          \
        if (same)                                                                                                    \
            *a = desired;                                                                                            \
        else                                                                                                         \
            *expected = old;                                                                                         \
        return same;                                                                                                 \
    }

#define ALL(bits, type)                                                          \
    type __tsan_atomic##bits##_load(const volatile type *a, int order);          \
    type __tsan_atomic##bits##_load(const volatile type *a, int order) {         \
        (void)order;                                                             \
        soft_load((uintptr_t)a, sizeof *a);                                      \
        return *a;                                                               \
    }                                                                            \
    void __tsan_atomic##bits##_store(volatile type *a, type value, int order);   \
    void __tsan_atomic##bits##_store(volatile type *a, type value, int order) {  \
        (void)order;                                                             \
        soft_store((uintptr_t)a, sizeof *a);                                     \
        *a = value;                                                              \
    }                                                                            \
    CHANGE(bits, type, exchange, operand)                                        \
    CHANGE(bits, type, fetch_add, old + operand)                                 \
    CHANGE(bits, type, fetch_sub, old - operand)                                 \
    CHANGE(bits, type, fetch_and, old & operand)                                 \
    CHANGE(bits, type, fetch_or, old | operand)                                  \
    CHANGE(bits, type, fetch_xor, old ^ operand)                                 \
    CHANGE(bits, type, fetch_nand, ~(old & operand))                             \
    COMPARE(bits, type, strong)                                                  \
    COMPARE(bits, type, weak)

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }
