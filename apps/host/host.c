/*
 * The same programs on the workstation: a process is a Unix process, the shared heap a shared mapping. For checking a
 * program's answers, not its speed. TS_PROCESSES sets how many processes a run has (default 4).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/platform.h"
#include "host.h"
#include "turnstile_job.h"

enum { HEAP_BYTES = 256 << 20, LOCKS = 512, BARRIERS = 65536 };

static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int holder[LOCKS]; /* process + 1; 0: free */
    struct barrier {
        uint32_t arrived, generation;
    } barrier[BARRIERS];
    pid_t process[TS_MAX_PROCESSES]; /* 0: free */
} *shared;

const char ts_clock_unit[] = "us";
const char ts_heap_advice[] = "make the problem smaller";

static char *heap_base;
static int processes = 4, me;
static pid_t child[TS_MAX_PROCESSES];
static volatile sig_atomic_t reaped[TS_MAX_PROCESSES]; /* child[i] has ended well */

int ts_processes(void) { return processes; }
int ts_self(void) { return me; }
int ts_site(void) { return 0; }
void ts_mark(uint32_t value) { (void)value; }
void ts_fence(void) { __sync_synchronize(); }
void ts_relax(void) { sched_yield(); }

unsigned long ts_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long)now.tv_sec * 1000000ul + (unsigned long)now.tv_nsec / 1000ul;
}

void ts_heap_region(char **base, char **end)
{
    *base = heap_base;
    *end = heap_base + HEAP_BYTES;
}

/* A failure anywhere ends all, as on the cluster: upwards by on_child, downwards by PR_SET_PDEATHSIG. */
static void end_all(int status)
{
    fflush(stdout);
    _exit(status);
}

void ts_fail(const char *format, ...)
{
    va_list arguments;

    printf("process %d: ", me);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    end_all(TS_EXIT_FAIL);
    __builtin_unreachable();
}

/* ---- numbered locks and barriers ---- */

uint32_t ts_number_locks(void) { return LOCKS; }
bool ts_page_set(void *page, int process, int block, int mode) { return (void)page, (void)process, (void)block, (void)mode, true; }
int ts_page_mode(const char *name) { return (void)name, 0; }
uint32_t ts_call(int process, const char *service, uint32_t word) { return (void)process, (void)service, (void)word, 0; }

void ts_number_lock(uint32_t number)
{
    pthread_mutex_lock(&shared->mutex);
    while (shared->holder[number]) pthread_cond_wait(&shared->changed, &shared->mutex);
    shared->holder[number] = me + 1;
    pthread_mutex_unlock(&shared->mutex);
}

void ts_number_unlock(uint32_t number)
{
    pthread_mutex_lock(&shared->mutex);
    int holder = shared->holder[number];
    if (holder == me + 1) shared->holder[number] = 0;
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->mutex);
    if (holder != me + 1) ts_fail("UNLOCK of lock number %u, which process %d holds", number, holder - 1);
}

void ts_number_barrier(uint32_t number, uint32_t count)
{
    struct barrier *b = &shared->barrier[number];

    pthread_mutex_lock(&shared->mutex);
    unsigned generation = b->generation;
    if (++b->arrived == count) {
        b->arrived = 0;
        b->generation++;
        pthread_cond_broadcast(&shared->changed);
    } else {
        while (b->generation == generation) pthread_cond_wait(&shared->changed, &shared->mutex);
    }
    pthread_mutex_unlock(&shared->mutex);
}

/* ---- processes ---- */

static void create(void (*entry)(void))
{
    int index = 1;

    pthread_mutex_lock(&shared->mutex);
    while (index < processes && shared->process[index]) index++;
    if (index == processes) {
        pthread_mutex_unlock(&shared->mutex);
        ts_fail("CREATE: one process more than this run has: %d (TS_PROCESSES)", processes);
    }
    shared->process[index] = -1;
    pthread_mutex_unlock(&shared->mutex);
    fflush(stdout);
    sigset_t children, before; /* on_child must not run before child[index] is known */
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, &before);
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) ts_fail("fork: %s", strerror(errno));
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        me = index;
        memset(child, 0, sizeof child);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(TS_EXIT_FAIL); /* it ended before that took effect */
        entry();
        exit(0);
    }
    child[index] = pid;
    shared->process[index] = pid;
    sigprocmask(SIG_SETMASK, &before, NULL);
}

pid_t host_process(int index)
{
    const volatile pid_t *process = &shared->process[index];

    while (*process <= 0) ts_relax();
    return *process;
}

void ts_create(void (*entry)(void)) { create(entry); }

void ts_create_all(void (*entry)(void), int count)
{
    if (count < 1 || count > processes) ts_fail("CREATE of %d processes: the legal range is 1..%d", count, processes);
    for (int i = 1; i < count; i++) create(entry);
    entry();
}

static void check_status(int status)
{
    if (!WIFEXITED(status)) end_all(TS_EXIT_TRAP);
    if (WEXITSTATUS(status)) end_all(WEXITSTATUS(status));
}

/* A child that fails ends the program even while its creator waits for it at a barrier. */
static void on_child(int signal_number)
{
    int status;

    (void)signal_number;
    for (int i = 1; i < processes; i++) {
        if (!child[i] || reaped[i] || waitpid(child[i], &status, WNOHANG) != child[i]) continue;
        check_status(status);
        reaped[i] = 1;
    }
}

void ts_wait_for_end(int count)
{
    sigset_t children, before;

    if (count < 0 || count > processes) ts_fail("WAIT_FOR_END of %d processes: the legal range is 0..%d", count, processes);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, &before);
    for (int i = 1; i < processes; i++) {
        if (!child[i]) continue;
        while (!reaped[i]) sigsuspend(&before);
        child[i] = 0;
        reaped[i] = 0;
        pthread_mutex_lock(&shared->mutex);
        shared->process[i] = 0;
        pthread_mutex_unlock(&shared->mutex);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) ts_fail("mmap of %zu bytes: %s", bytes, strerror(errno));
    return memory;
}

__attribute__((constructor)) static void prepare(void)
{
    const char *wanted = getenv("TS_PROCESSES");
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;

    if (wanted) processes = atoi(wanted);
    if (processes < 1 || processes > TS_MAX_PROCESSES)
        ts_fail("TS_PROCESSES=%s: the legal range is 1..%d", wanted, TS_MAX_PROCESSES);
    shared = map(sizeof *shared);
    shared->process[0] = getpid();
    heap_base = map(HEAP_BYTES);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &condition);
    ts_heap_init();
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
}
