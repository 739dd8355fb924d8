/* Threads as programs use them: globals, malloc, addresses on stacks; mutex, condition, barrier, once, keys. The same lines everywhere. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, TURNS = 5, ITEMS = 8 };

struct work {
    int number, *mine;
    pthread_t thread;
};

int initialised = 40;
static int counter, items[ITEMS], put, taken, before[THREADS + 1], destroyed, onces, common;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_key_t key, late_key; /* the second is made by a thread */

static void prepare_once(void)
{
    onces++;
    initialised++;
    common = initialised + 1;
}

static void destroy(void *value)
{
    pthread_mutex_lock(&mutex);
    destroyed += *(int *)value;
    pthread_mutex_unlock(&mutex);
}

static void *work(void *argument)
{
    struct work *w = argument; /* on the stack of main */

    pthread_once(&once, prepare_once);
    if (pthread_getspecific(key)) return NULL;
    pthread_setspecific(key, &w->number);
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&mutex);
        counter += common;
        pthread_mutex_unlock(&mutex);
    }
    before[w->number] = w->number * 100;
    if (w->number == 1) pthread_key_create(&late_key, destroy);
    int serial = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD, sum = 0;
    for (int i = 1; i <= THREADS; i++) sum += before[i];
    pthread_setspecific(late_key, &w->number);
    pthread_mutex_lock(&mutex);
    counter += serial; /* one of the four */
    pthread_mutex_unlock(&mutex);
    w->mine = malloc(sizeof *w->mine);
    *w->mine = sum + w->number + *(int *)pthread_getspecific(key);
    if (w->number == 2) pthread_exit(w->mine);
    for (;;) { /* takes items until -1 */
        pthread_mutex_lock(&mutex);
        while (taken == put) pthread_cond_wait(&changed, &mutex);
        int item = items[taken % ITEMS];
        if (item >= 0) taken++;
        pthread_mutex_unlock(&mutex);
        if (item < 0) break;
        pthread_mutex_lock(&mutex);
        counter += 1000 * item;
        pthread_mutex_unlock(&mutex);
    }
    return w->mine;
}

int main(void)
{
    struct work w[THREADS];
    int results = 0, trial;
    void *result;

    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    pthread_key_create(&key, destroy);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct work){.number = i + 1};
        if (pthread_create(&w[i].thread, NULL, work, &w[i])) return printf("no thread %d\n", i), 1;
    }
    counter += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        items[put % ITEMS] = i < ITEMS ? i : -1;
        put++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, &result);
        results += *(int *)result;
        printf("thread %d: %d, self %d\n", i + 1, *(int *)result, pthread_equal(w[i].thread, pthread_self()) != 0);
        free(result);
    }
    pthread_mutex_lock(&mutex);
    trial = pthread_mutex_trylock(&mutex) != 0;
    pthread_mutex_unlock(&mutex);
    printf("counter %d, results %d, destroyed %d, once %d, trylock %d\n", counter, results, destroyed, onces, trial);
    return 0;
}
