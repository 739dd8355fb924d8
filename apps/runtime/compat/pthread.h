/**
 * @file pthread.h
 * Threads over processes, for programs run with GLOBALS=shared: globals, malloc and stacks are then shared memory, and a thread is a process,
 * one an aP. create, join, detach, exit, self, mutexes (plain), condition variables, barriers, once, keys. What is left out does not compile.
 *
 * What waits looks at shared memory again and again: nobody else needs its aP. Functions return 0 or an errno, as POSIX says.
 */
#ifndef TS_PTHREAD_H
#define TS_PTHREAD_H

#include <sched.h>
#include <stdint.h>
#include <time.h>

typedef struct ts_thread *pthread_t;
typedef struct { uint32_t none; } pthread_attr_t, pthread_mutexattr_t, pthread_condattr_t, pthread_barrierattr_t;
typedef struct { volatile uint32_t held; } pthread_mutex_t;
typedef struct { volatile uint32_t signals; } pthread_cond_t;
typedef struct { volatile uint32_t count, arrived, rounds; } pthread_barrier_t;
typedef struct { volatile uint32_t state; } pthread_once_t;
typedef uint32_t pthread_key_t;

#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_COND_INITIALIZER {0}
#define PTHREAD_ONCE_INIT {0}
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_KEYS_MAX 64
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_SCOPE_SYSTEM 0

#ifdef __cplusplus
extern "C" {
#endif

/** EAGAIN: every aP of the run has a thread. Attributes are ignored. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
void pthread_exit(void *result) __attribute__((noreturn));
pthread_t pthread_self(void);
int pthread_equal(pthread_t one, pthread_t other);

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count);
int pthread_barrier_destroy(pthread_barrier_t *barrier);
int pthread_barrier_wait(pthread_barrier_t *barrier);

int pthread_once(pthread_once_t *once, void (*function)(void));
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_setscope(pthread_attr_t *attributes, int scope);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
