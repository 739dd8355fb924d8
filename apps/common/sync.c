/*
 * Locks and barriers of the program on the numbered ones of the machine (BZ-28).
 *
 * A lock's variable holds its number and a check of its own address, so that a lock nobody initialised, and a copy of a
 * lock, are found out. The numbers are few (512 a site); locks beyond them are words of shared memory, which cost
 * coherence traffic but never take a number twice: two locks with one number would deadlock a program that nests them.
 */
#include "platform.h"

enum { WORD_LOCK = 0xffff };

static uint32_t check(const volatile void *variable)
{
    return (((uint32_t)(uintptr_t)variable * 0x9e3779b1u) >> 16 ^ 0x5bd1u) << 16;
}

static bool made(const volatile void *variable, uint32_t name)
{
    return (name & 0xffff0000u) == check(variable);
}

void ts_lock_init(ts_lock_t *locks, int count)
{
    struct ts_shared_state *state = ts_shared_state();

    ts_number_lock(LOCK_HEAP);
    for (int i = 0; i < count; i++) {
        locks[i].held = 0;
        if (made(&locks[i], locks[i].name)) continue; /* made before: the number is still its own */
        uint32_t number = state->next_lock < ts_number_locks() ? state->next_lock++ : WORD_LOCK;
        locks[i].name = check(&locks[i]) | number;
    }
    ts_number_unlock(LOCK_HEAP);
}

static uint32_t number_of(const ts_lock_t *lock, const char *operation)
{
    if (!made(lock, lock->name)) ts_fail("%s of the lock at %p, which LOCKINIT never made", operation, (const void *)lock);
    return lock->name & 0xffff;
}

void ts_lock(ts_lock_t *lock)
{
    uint32_t number = number_of(lock, "LOCK");

    if (number == WORD_LOCK) ts_word_lock(&lock->held);
    else ts_number_lock(number);
}

void ts_unlock(ts_lock_t *lock)
{
    uint32_t number = number_of(lock, "UNLOCK");

    if (number == WORD_LOCK) ts_word_unlock(&lock->held);
    else ts_number_unlock(number);
}

/* Guards are held for a few instructions and never nested, so many variables may share one. */
static uint32_t guard(const volatile void *variable)
{
    return LOCK_GUARDS + (uint32_t)((uintptr_t)variable >> 2) % (LOCK_PROGRAM - LOCK_GUARDS);
}

void ts_guard(const volatile void *variable) { ts_number_lock(guard(variable)); }
void ts_unguard(const volatile void *variable) { ts_number_unlock(guard(variable)); }

void ts_word_lock(volatile uint32_t *held)
{
#ifdef __riscv_atomic
    while (__atomic_exchange_n(held, 1, __ATOMIC_SEQ_CST))
        while (*held) ts_relax();
#else
    for (;;) {
        ts_guard(held);
        if (!*held) break;
        ts_unguard(held);
        while (*held) ts_relax();
    }
    *held = 1;
    ts_unguard(held);
#endif
}

void ts_word_unlock(volatile uint32_t *held)
{
    if (!*held) ts_fail("UNLOCK of the lock at %p, which nobody holds", (const void *)held);
    ts_fence();
    *held = 0;
}

void ts_barrier_init(ts_barrier_t *barrier, int processes)
{
    struct ts_shared_state *state = ts_shared_state();

    barrier->processes = (uint32_t)processes;
    if (made(barrier, barrier->name)) return;
    ts_number_lock(LOCK_HEAP);
    uint32_t number = state->next_barrier++;
    ts_number_unlock(LOCK_HEAP);
    if (number > 0xffff) ts_fail("BARINIT: more than 65536 barriers");
    barrier->name = check(barrier) | number;
}

void ts_barrier(ts_barrier_t *barrier, int processes)
{
    uint32_t count = processes ? (uint32_t)processes : barrier->processes;

    if (!made(barrier, barrier->name)) ts_fail("BARRIER at %p, which BARINIT never made", (void *)barrier);
    if (count < 1 || count > (uint32_t)ts_processes())
        ts_fail("BARRIER of %ld processes: the legal range is 1..%d", (long)(int32_t)count, ts_processes());
    ts_number_barrier(barrier->name & 0xffff, count);
}
