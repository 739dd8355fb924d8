/* What threads wait for: words of shared memory under guards. */
#include "compat/pthread.h"

#include <errno.h>

#include "../common/platform.h"

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    (void)attributes;
    mutex->held = 0;
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) { return mutex->held ? EBUSY : 0; }

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    ts_word_lock(&mutex->held);
    return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
#ifdef __riscv_atomic
    uint32_t held = __atomic_exchange_n(&mutex->held, 1, __ATOMIC_SEQ_CST);
#else
    ts_guard(&mutex->held);
    uint32_t held = mutex->held;
    if (!held) mutex->held = 1;
    ts_unguard(&mutex->held);
#endif
    return held ? EBUSY : 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    ts_word_unlock(&mutex->held);
    return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    (void)attributes;
    condition->signals = 0;
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition) { return (void)condition, 0; }

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    uint32_t seen = condition->signals; /* under the mutex: a later signal is not missed */

    ts_word_unlock(&mutex->held);
    while (condition->signals == seen) ts_relax();
    ts_word_lock(&mutex->held);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    ts_guard(&condition->signals);
    condition->signals++;
    ts_unguard(&condition->signals);
    return 0;
}

/* Wakes all: those that find nothing wait again. */
int pthread_cond_signal(pthread_cond_t *condition) { return pthread_cond_broadcast(condition); }

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)
{
    (void)attributes;
    if (count == 0) return EINVAL;
    *barrier = (pthread_barrier_t){.count = count};
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) { return barrier->arrived ? EBUSY : 0; }

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    ts_guard(&barrier->arrived);
    uint32_t round = barrier->rounds;
    int last = ++barrier->arrived == barrier->count;
    if (last) {
        barrier->arrived = 0;
        barrier->rounds++;
    }
    ts_unguard(&barrier->arrived);
    if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
    while (barrier->rounds == round) ts_relax();
    ts_fence();
    return 0;
}

int pthread_once(pthread_once_t *once, void (*function)(void))
{
    enum { NEVER, RUNS, DONE };

    if (once->state != DONE) {
        ts_guard(&once->state);
        uint32_t before = once->state;
        if (before == NEVER) once->state = RUNS;
        ts_unguard(&once->state);
        if (before == NEVER) {
            function();
            ts_fence();
            once->state = DONE;
        }
        while (once->state != DONE) ts_relax();
    }
    ts_fence();
    return 0;
}
