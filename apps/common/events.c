/*
 * Flags, self-scheduled loops, semaphores and conditions on plain shared memory. Waiting is a loop on a cached copy: the
 * block is invalidated once, when the flag changes, so a waiter costs no traffic.
 */
#include <turnstile.h>

void ts_pause_init(ts_pause_t *pause) { pause->set = 0; }
void ts_pause_clear(ts_pause_t *pause) { ts_fence(); pause->set = 0; ts_fence(); }
void ts_pause_set(ts_pause_t *pause) { ts_fence(); pause->set = 1; ts_fence(); }

void ts_pause_wait(ts_pause_t *pause)
{
    while (!pause->set) ts_relax();
    ts_fence();
}

void ts_getsub_init(ts_getsub_t *getsub)
{
    getsub->next = getsub->done = 0;
    ts_barrier_init(&getsub->barrier, 0);
}

int ts_getsub(ts_getsub_t *getsub, int last, int processes)
{
    int subscript = -1;

    ts_guard(&getsub->next);
    if (getsub->next <= last) {
        subscript = getsub->next++;
    } else if (++getsub->done == processes) {
        /* Every other process waits below and touches nothing: the loop may be made ready for its next use. */
        getsub->next = getsub->done = 0;
    }
    ts_unguard(&getsub->next);
    if (subscript < 0) ts_barrier(&getsub->barrier, processes);
    return subscript;
}

void ts_semaphore_init(ts_semaphore_t *semaphore, int value) { semaphore->value = value; }

void ts_semaphore_p(ts_semaphore_t *semaphore)
{
    for (;;) {
        ts_guard(&semaphore->value);
        if (semaphore->value > 0) break;
        ts_unguard(&semaphore->value);
        while (semaphore->value <= 0) ts_relax();
    }
    semaphore->value--;
    ts_unguard(&semaphore->value);
}

void ts_semaphore_v(ts_semaphore_t *semaphore)
{
    ts_guard(&semaphore->value);
    semaphore->value++;
    ts_unguard(&semaphore->value);
}

void ts_condition_init(ts_condition_t *condition) { condition->signals = 0; }

void ts_condition_wait(ts_condition_t *condition, ts_lock_t *lock)
{
    uint32_t seen = condition->signals; /* read under the caller's lock: a later signal is not missed */

    ts_unlock(lock);
    while (condition->signals == seen) ts_relax();
    ts_lock(lock);
}

void ts_condition_signal(ts_condition_t *condition)
{
    ts_guard(&condition->signals);
    condition->signals++;
    ts_unguard(&condition->signals);
}
