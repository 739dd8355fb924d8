/* pthread_create and what a thread has of its own: a thread is a process whose globals, heap and stack are shared (GLOBALS=shared). */
#include "compat/pthread.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/platform.h"
#include "runtime.h"

struct ts_thread {
    void *(*start)(void *);
    void *argument, *result;
    uint32_t process, ticket; /* of the process it is */
};

/* Private to each process. A new one has copies of its creator's, so the creator writes there what the new one is to find. */
static struct ts_thread *self_thread;
static void *values[PTHREAD_KEYS_MAX];

/* Shared. */
static struct {
    volatile uint32_t used;
    void (*destructor[PTHREAD_KEYS_MAX])(void *);
} keys SHARED;

static void end_thread(void *result)
{
    for (int round = 0, again = 1; round < 4 && again; round++) {
        again = 0;
        for (uint32_t key = 0; key < keys.used; key++) {
            void *value = values[key];
            values[key] = NULL;
            if (!value || !keys.destructor[key]) continue;
            keys.destructor[key](value);
            again = 1;
        }
    }
    if (self_thread) self_thread->result = result;
    _exit(0);
}

static void run_thread(void)
{
    for (int key = 0; key < PTHREAD_KEYS_MAX; key++) values[key] = NULL;
    end_thread(self_thread->start(self_thread->argument));
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    struct ts_thread *creator = pthread_self(), *made = ts_alloc(sizeof *made);

    (void)attributes;
    *made = (struct ts_thread){.start = start, .argument = argument};
    if (!process_claim(&made->process, &made->ticket)) {
        ts_free(made);
        return EAGAIN;
    }
    *thread = self_thread = made;
    process_start(made->process, run_thread);
    self_thread = creator;
    return 0;
}

int pthread_join(pthread_t thread, void **result)
{
    if (thread == self_thread) return EDEADLK;
    process_wait(thread->process, thread->ticket);
    if (result) *result = thread->result;
    ts_free(thread);
    return 0;
}

/* Its record stays: what it is for, another may still ask. */
int pthread_detach(pthread_t thread) { return (void)thread, 0; }

void pthread_exit(void *result)
{
    if (ts_self() == 0) {
        ts_wait_for_end(0);
        exit(0);
    }
    end_thread(result);
    __builtin_unreachable();
}

pthread_t pthread_self(void)
{
    if (!self_thread) self_thread = ts_alloc(sizeof *self_thread); /* of the process that runs main */
    return self_thread;
}

int pthread_equal(pthread_t one, pthread_t other) { return one == other; }

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    ts_guard(&keys.used);
    uint32_t mine = keys.used;
    if (mine < PTHREAD_KEYS_MAX) {
        keys.destructor[mine] = destructor;
        keys.used = mine + 1;
    }
    ts_unguard(&keys.used);
    *key = mine;
    return mine < PTHREAD_KEYS_MAX ? 0 : EAGAIN;
}

/* The number is not given again: a thread may hold a value under it. */
int pthread_key_delete(pthread_key_t key)
{
    if (key >= keys.used) return EINVAL;
    keys.destructor[key] = NULL;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) { return key < keys.used ? values[key] : NULL; }

int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key >= keys.used) return EINVAL;
    values[key] = (void *)(uintptr_t)value;
    return 0;
}

int pthread_attr_init(pthread_attr_t *attributes) { return (void)attributes, 0; }
int pthread_attr_destroy(pthread_attr_t *attributes) { return (void)attributes, 0; }
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state) { return (void)attributes, (void)state, 0; }
int pthread_attr_setscope(pthread_attr_t *attributes, int scope) { return (void)attributes, (void)scope, 0; }
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes) { return (void)attributes, bytes > TS_THREAD_STACK ? EINVAL : 0; }
