/*
 * saved [open]: a first part, mark 1, and a second that needs all of the first: private and shared data, half a line, half of stdin. With `open`
 * a file is open at the mark.
 */
#include <fcntl.h>
#include <stdio.h>
#include <turnstile.h>

enum { WORDS = 256, ROUNDS = 6 };
static struct shared {
    ts_barrier_t all;
    ts_lock_t lock;
    unsigned sum;
    unsigned words[WORDS];
} *shared;
static unsigned own[WORDS];

static void work(void)
{
    const unsigned me = (unsigned)ts_self(), processes = (unsigned)ts_processes();
    unsigned number = 0;

    for (unsigned i = 0; i < WORDS; i++) own[i] = i * (me + 1);
    for (unsigned i = me; i < WORDS; i += processes) shared->words[i] = i;
    ts_barrier(&shared->all, 0);
    if (me == 0) {
        printf("first part, ");
        fflush(stdout);
        ts_mark(1);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = me; i < WORDS; i += processes) shared->words[(i + round) % WORDS] += own[i];
        ts_lock(&shared->lock);
        shared->sum += own[round];
        ts_unlock(&shared->lock);
        ts_barrier(&shared->all, 0);
    }
    if (me == 0) {
        if (scanf("%u", &number) == 1) shared->sum += number;
        ts_mark(2);
    }
}

int main(int argc, char **argv)
{
    unsigned number = 0, sum = 0;

    (void)argv;
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    ts_lock_init(&shared->lock, 1);
    if (scanf("%u", &number) == 1) shared->sum = number;
    if (argc > 1) open("log", O_WRONLY | O_CREAT, 0600);
    for (int i = 1; i < ts_processes(); i++) ts_create(work);
    work();
    ts_wait_for_end(ts_processes() - 1);
    for (int i = 0; i < WORDS; i++) sum += shared->words[i];
    printf("second: %u %u\n", shared->sum, sum);
    return 0;
}
