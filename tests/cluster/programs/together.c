/* Processes that write into one file at once, and share a word: who came when is the order of the lines. */
#include <fcntl.h>
#include <stdio.h>
#include <turnstile.h>
#include <unistd.h>

enum { LINES = 3 };

static ts_barrier_t *start;
static ts_lock_t *lock;
static unsigned *sum;
static int processes, log_file;

static void work(void)
{
    char line[16];

    ts_barrier(start, processes);
    for (int i = 0; i < LINES; i++) {
        const int bytes = snprintf(line, sizeof line, "%d %d\n", ts_self(), i);
        write(log_file, line, (size_t)bytes);
        ts_lock(lock);
        *sum += 1;
        ts_unlock(lock);
    }
}

int main(void)
{
    processes = ts_processes();
    start = ts_alloc(sizeof *start);
    lock = ts_alloc(sizeof *lock);
    sum = ts_alloc(sizeof *sum);
    ts_barrier_init(start, processes);
    ts_lock_init(lock, 1);
    log_file = open("log", O_WRONLY | O_CREAT, 0600);
    for (int i = 1; i < processes; i++) ts_create(work);
    work();
    ts_wait_for_end(processes - 1);
    printf("sum %u\n", *sum);
    return *sum != (unsigned)(processes * LINES);
}
