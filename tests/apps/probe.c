/* One behaviour of the runtime a subcommand; test_runtime.py says what each must do. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turnstile.h>

enum { LOCKS = 700 }; /* more than the 512 of a site */

struct shared {
    ts_barrier_t barrier;
    ts_lock_t lock[LOCKS];
    int count[LOCKS];
    int seen[256];
    atomic_int counter;
    atomic_flag flag;
    int under_flag;
    int *result;
};

static struct shared *shared;
static int global = 1, *pointer_to_stack, *pointer_to_heap, zero[100];
static int processes;

static int recurse(int depth)
{
    volatile char frame[1000];

    frame[0] = (char)depth;
    if (depth == 400) return 0; /* 400 kB: the lost stores are noticed when the frames are read again */
    return recurse(depth + 1) + frame[0];
}

/* memcpy, memmove, memset of up to 80 bytes, in all alignments and overlaps to 40 bytes, against loops of single bytes. */
static int copies(void)
{
    enum { ROOM = 240, FAR = 130 };
    static unsigned char found[ROOM], wanted[ROOM];
    int bad = 0;

    for (int kind = 0; kind < 3; kind++)
        for (int from = 40; from < 44; from++)
            for (int to = kind ? from - 40 : FAR; to < (kind ? from + 40 : FAR + 4); to += kind == 1 ? 3 : 1)
                for (int bytes = 0; bytes <= 80; bytes += bytes < 12 ? 1 : 17) {
                    for (int i = 0; i < ROOM; i++) found[i] = wanted[i] = (unsigned char)(i * 7 + bytes);
                    for (int i = 0; i < bytes; i++) {
                        int at = to > from ? bytes - 1 - i : i;
                        wanted[to + at] = kind == 2 ? (unsigned char)(from + 200) : wanted[from + at];
                    }
                    void *end = kind == 0   ? memcpy(found + to, found + from, (size_t)bytes)
                                : kind == 1 ? memmove(found + to, found + from, (size_t)bytes)
                                            : memset(found + to, from + 200 + 256, (size_t)bytes);
                    bad += end != found + to;
                    for (int i = 0; i < ROOM; i++) bad += found[i] != wanted[i];
                }
    return bad;
}

static void worker_recurses(void)
{
    if (ts_self() != 0) recurse(0);
    ts_barrier(&shared->barrier, 0);
}

static void worker_traps(void)
{
    if (ts_self() != 0) *(volatile int *)16 = *(volatile int *)12;
    ts_barrier(&shared->barrier, 0);
}

static void worker_waits(void) { ts_barrier(&shared->barrier, 0); }

static void worker_exits(void)
{
    if (ts_self() == processes - 1) exit(5);
    ts_barrier(&shared->barrier, 0);
}

static void grandchild(void) { shared->seen[ts_self()] = global + *pointer_to_stack + *pointer_to_heap; }

static void child(void)
{
    int local = 300, *mine = malloc(sizeof *mine);

    shared->seen[ts_self()] = global + *pointer_to_stack + *pointer_to_heap + zero[99];
    global = 5000;
    *mine = 40;
    pointer_to_stack = &local;
    pointer_to_heap = mine;
    ts_create(grandchild);
    ts_wait_for_end(1);
}

/* Globals, stack and heap of the creator, at the same addresses; changes are private; aPs are used again. */
static int fork_like(void)
{
    int local = 20, bad = 0;
    int *heap = malloc(sizeof *heap);

    pointer_to_stack = &local;
    pointer_to_heap = heap;
    *heap = 300;
    printf("half a line, ");
    for (int round = 0; round < 3; round++) {
        memset(shared->seen, 0, sizeof shared->seen);
        global = round;
        ts_create(child);
        ts_wait_for_end(1);
        bad += shared->seen[1] != 320 + round || shared->seen[2] != 5340;
        bad += global != round || *heap != 300 || local != 20;
    }
    printf("printed once\n");
    return bad;
}

static void use_locks(void)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < LOCKS - 1; i++) {
            ts_lock(&shared->lock[i]);
            ts_lock(&shared->lock[i + 1]);
            shared->count[i]++;
            ts_unlock(&shared->lock[i + 1]);
            ts_unlock(&shared->lock[i]);
        }
}

static int many_locks(void)
{
    int bad = 0;

    ts_lock_init(shared->lock, LOCKS);
    memset(shared->count, 0, sizeof shared->count);
    ts_create_all(use_locks, processes);
    ts_wait_for_end(processes);
    for (int i = 0; i < LOCKS - 1; i++) bad += shared->count[i] != 2 * processes;
    return bad;
}

static void use_atomics(void)
{
    for (int i = 0; i < 20; i++) {
        atomic_fetch_add(&shared->counter, 3);
        atomic_fetch_sub(&shared->counter, 1);
        while (atomic_flag_test_and_set(&shared->flag)) ts_relax();
        shared->under_flag++;
        atomic_flag_clear(&shared->flag);
    }
}

static int atomics(void)
{
    atomic_init(&shared->counter, 0);
    atomic_flag_clear(&shared->flag);
    shared->under_flag = 0;
    ts_create_all(use_atomics, processes);
    ts_wait_for_end(processes);
    return shared->counter != 40 * processes || shared->under_flag != 20 * processes;
}

/* Every byte of the heap can be had, given back in any order, and had again in one piece. */
static int heap(void)
{
    char *piece[64];
    char *all;

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 64; i++) {
            piece[i] = i % 5 ? ts_alloc((size_t)i * 100) : ts_alloc_pages((size_t)i * 100 + 1, i % processes, 256);
            if ((uintptr_t)piece[i] % (i % 5 ? TS_BLOCK : 4096)) return 1;
            memset(piece[i], i, (size_t)i * 100);
        }
        for (int i = 0; i < 64; i++)
            for (int k = 0; k < i * 100; k++)
                if (piece[i][k] != i) return 2;
        for (int i = 0; i < 64; i++) ts_free(piece[i * 29 % 64]);
    }
    all = ts_alloc(6u << 20);
    ts_free(all);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int bad = 0;

    processes = ts_processes();
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->barrier, processes);
    if (!strcmp(what, "arguments")) {
        for (int i = 1; i < argc; i++) printf("[%s]\n", argv[i]);
        if (argv[argc]) return 1;
    } else if (!strcmp(what, "status")) {
        exit(7);
    } else if (!strcmp(what, "worker-status")) {
        ts_create_all(worker_exits, processes);
    } else if (!strcmp(what, "stack")) {
        recurse(0);
    } else if (!strcmp(what, "worker-stack")) {
        ts_create_all(worker_recurses, processes);
    } else if (!strcmp(what, "trap")) {
        ts_create_all(worker_traps, processes);
    } else if (!strcmp(what, "illegal")) {
        __builtin_trap();
    } else if (!strcmp(what, "shared-heap")) {
        ts_alloc(400u << 20);
    } else if (!strcmp(what, "private-heap")) {
        bad = malloc(4u << 20) != NULL;
    } else if (!strcmp(what, "free-twice")) {
        void *memory = ts_alloc(10);
        ts_free(memory);
        ts_free(memory);
    } else if (!strcmp(what, "free-nothing")) {
        ts_free(&shared->seen[64]);
    } else if (!strcmp(what, "too-many")) {
        ts_create_all(grandchild, processes + 1);
    } else if (!strcmp(what, "one-too-many")) {
        for (int i = 0; i < processes; i++) ts_create(worker_waits);
    } else if (!strcmp(what, "unmade-lock")) {
        ts_lock_t lock = {0};
        ts_lock(&lock);
    } else if (!strcmp(what, "unmade-barrier")) {
        ts_barrier_t barrier = {0};
        ts_barrier(&barrier, 1);
    } else if (!strcmp(what, "barrier-count")) {
        ts_barrier(&shared->barrier, processes + 1);
    } else if (!strcmp(what, "home")) {
        ts_alloc_pages(1, processes, 0);
    } else if (!strcmp(what, "block")) {
        ts_alloc_pages(1, 0, 96);
    } else if (!strcmp(what, "fork")) {
        bad = fork_like();
    } else if (!strcmp(what, "locks")) {
        bad = many_locks();
    } else if (!strcmp(what, "atomics")) {
        bad = atomics();
    } else if (!strcmp(what, "copies")) {
        bad = copies();
    } else if (!strcmp(what, "heap")) {
        bad = heap();
    }
    printf("probe %s: %d bad, %s, %.3f\n", what, bad, bad ? "wrong" : "good", 1.5);
    return bad != 0;
}
