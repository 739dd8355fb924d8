/*
 * C11 atomic operations that read and write, where the aP has no instruction for them: gcc calls these. A guard makes them
 * atomic against each other. With the A extension gcc has instructions for words; 1 and 2 bytes are then changed here by LR and SC of
 * the word they lie in, 8 stay under the guard. Plain atomic stores are single instructions and do not take the guard; therefore nothing is
 * written when the value stays, so that a test-and-set of a taken lock cannot undo the store that frees it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <turnstile.h>

#define CHANGE(name, size, type, expression)                                            \
    type name##_##size(volatile type *object, type operand, int order)                  \
        __asm__("__atomic_" #name "_" #size);                                           \
    type name##_##size(volatile type *object, type operand, int order)                  \
    {                                                                                   \
        (void)order;                                                                    \
        ts_guard(object);                                                               \
        type old = *object, new = (expression);                                         \
        if (new != old) *object = new;                                                  \
        ts_unguard(object);                                                             \
        return old;                                                                     \
    }

#ifdef __riscv_atomic
/* `object` in its word: 1 or 2 bytes from bit `shift` on. */
#define PLACE(type)                                                                     \
    volatile uint32_t *word = (volatile uint32_t *)((uintptr_t)object & ~(uintptr_t)3); \
    unsigned shift = 8 * ((uintptr_t)object & 3);                                       \
    uint32_t mask = (uint32_t)(type)~(type)0 << shift, seen = *word

#define CHANGE_PART(name, size, type, expression)                                       \
    type name##_##size(volatile type *object, type operand, int order)                  \
        __asm__("__atomic_" #name "_" #size);                                           \
    type name##_##size(volatile type *object, type operand, int order)                  \
    {                                                                                   \
        (void)order;                                                                    \
        PLACE(type);                                                                    \
        type old, new;                                                                  \
        do {                                                                            \
            old = (type)(seen >> shift), new = (type)(expression);                      \
        } while (!__atomic_compare_exchange_n(word, &seen, (seen & ~mask) | (uint32_t)new << shift, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return old;                                                                     \
    }

#define PART(size, type)                                                                \
    CHANGE_PART(exchange, size, type, operand)                                          \
    CHANGE_PART(fetch_add, size, type, old + operand)                                   \
    CHANGE_PART(fetch_sub, size, type, old - operand)                                   \
    CHANGE_PART(fetch_and, size, type, old & operand)                                   \
    CHANGE_PART(fetch_or, size, type, old | operand)                                    \
    CHANGE_PART(fetch_xor, size, type, old ^ operand)                                   \
    bool compare_exchange_##size(volatile type *object, type *expected, type desired, int success, int failure) \
        __asm__("__atomic_compare_exchange_" #size);                                    \
    bool compare_exchange_##size(volatile type *object, type *expected, type desired, int success, int failure) \
    {                                                                                   \
        (void)success, (void)failure;                                                   \
        PLACE(type);                                                                    \
        do {                                                                            \
            if ((type)(seen >> shift) != *expected) {                                   \
                *expected = (type)(seen >> shift);                                      \
                return false;                                                           \
            }                                                                           \
        } while (!__atomic_compare_exchange_n(word, &seen, (seen & ~mask) | (uint32_t)desired << shift, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return true;                                                                    \
    }

PART(1, uint8_t)
PART(2, uint16_t)
#endif

#define ALL(size, type)                                                                 \
    CHANGE(exchange, size, type, operand)                                               \
    CHANGE(fetch_add, size, type, old + operand)                                        \
    CHANGE(fetch_sub, size, type, old - operand)                                        \
    CHANGE(fetch_and, size, type, old & operand)                                        \
    CHANGE(fetch_or, size, type, old | operand)                                         \
    CHANGE(fetch_xor, size, type, old ^ operand)                                        \
    bool compare_exchange_##size(volatile type *object, type *expected, type desired, int success, int failure) \
        __asm__("__atomic_compare_exchange_" #size);                                    \
    bool compare_exchange_##size(volatile type *object, type *expected, type desired, int success, int failure) \
    {                                                                                   \
        (void)success, (void)failure;                                                   \
        ts_guard(object);                                                               \
        type old = *object;                                                             \
        bool same = old == *expected;                                                   \
        if (same) *object = desired;                                                    \
        ts_unguard(object);                                                             \
        if (!same) *expected = old;                                                     \
        return same;                                                                    \
    }

#ifndef __riscv_atomic
ALL(1, uint8_t)
ALL(2, uint16_t)
ALL(4, uint32_t)
#endif
ALL(8, uint64_t)

/* Two words: the only loads and stores that are not single instructions. */
uint64_t load_8(const volatile uint64_t *object, int order) __asm__("__atomic_load_8");
uint64_t load_8(const volatile uint64_t *object, int order)
{
    (void)order;
    ts_guard(object);
    uint64_t value = *object;
    ts_unguard(object);
    return value;
}

void store_8(volatile uint64_t *object, uint64_t value, int order) __asm__("__atomic_store_8");
void store_8(volatile uint64_t *object, uint64_t value, int order)
{
    (void)order;
    ts_guard(object);
    *object = value;
    ts_unguard(object);
}
