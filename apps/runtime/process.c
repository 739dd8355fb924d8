/*
 * Processes: fork by copying (BZ-39). The creator writes what is private to it (globals, heap in use, stack in use) into
 * an image in shared memory and sends its address to an idle aP; the aP copies the image over its own private memory, at
 * the same addresses, and runs the entry on a stack that continues the creator's. So every pointer stays valid.
 *
 * Only words that changed since the last image are stored: starting P processes in a row invalidates few blocks. Pieces of
 * zeros, which most of a program's globals are, have no place in it: a bit says so, and a process that is the first on its
 * aP finds its globals zero already.
 *
 * A program with GLOBALS=shared has its globals, heap and stacks in shared memory: only what is the library's and the runtime's own is
 * copied, and each process gets a stack there.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <turnstile_service.h>

#include "../common/platform.h"
#include "call.h"
#include "niu.h"
#include "runtime.h"

/* One block a process, so that writers do not disturb each other. `created` is written under LOCK_PROCESSES, the others by
   the process itself. Process k runs when created != ended. */
struct slot {
    volatile uint32_t created, started, ended;
    char pad[TS_BLOCK - 12];
};

struct table {
    volatile uint32_t parallel; /* the sPs know that the parallel part began */
    char pad[TS_BLOCK - 4];
    struct slot slot[TS_MAX_PROCESSES];
};
_Static_assert(sizeof(struct table) <= TS_RUNTIME_SHARED, "the table has its own part of the shared heap");

enum { PIECE = 64 }; /* words; a range of memory is cut into these, from its begin on */

struct image {
    void (*entry)(void);
    char *stack, *heap_end;
    uint32_t pieces, capacity;   /* so many have a bit; so many words fit behind the bits */
    volatile uint32_t *words;    /* of the pieces that are not zero */
    uint32_t not_zero[];         /* a bit a piece */
};
enum { FIRST_CAPACITY = 1 << 16 }; /* words; more when they are needed, for zeros need none */

#define table ((struct table *)__tt_memory.heap)
/* The creator's own; a new process has copies of them and clears those. */
static struct image *image;
static uint32_t mine[TS_MAX_PROCESSES]; /* slot.created of my children, 0: not my child */
static void (*entry_point)(void);
static char *own_stack; /* GLOBALS=shared: of the process that runs here, or that ran here last */

void process_table_init(void)
{
    table->parallel = 0;
    for (int i = 0; i < ts_processes(); i++) table->slot[i].created = table->slot[i].started = table->slot[i].ended = 0;
}

/* ---- the image ---- */

static uint32_t words_between(const char *from, const char *to)
{
    return (uint32_t)(to - from + 3) / 4;
}

/* What a process has that is its own, at the time it creates another. */
struct range {
    uint32_t *from;
    uint32_t words;
};
enum { RANGES = 3 };

static void find_ranges(struct range range[RANGES], char *heap_end, char *stack)
{
    range[0] = (struct range){(uint32_t *)__private_start, words_between(__private_start, __private_end)};
    range[1] = (struct range){(uint32_t *)__heap_start, words_between(__heap_start, heap_end)};
    range[2] = (struct range){(uint32_t *)stack, globals_shared() ? 0 : words_between(stack, __stack_top)};
}

static bool all_zero(const uint32_t *word, uint32_t words)
{
    for (; words >= 4; words -= 4, word += 4)
        if (word[0] | word[1] | word[2] | word[3]) return false;
    while (words--)
        if (*word++) return false;
    return true;
}

static void store_changed(volatile uint32_t *to, const uint32_t *from, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (to[i] != from[i]) to[i] = from[i];
}

/* Another image with room for so much, which begins as the one there was. */
static void make_image(uint32_t pieces, uint32_t capacity)
{
    uint32_t bit_words = pieces / 32 + 1;
    struct image *made = ts_alloc(sizeof *made + (bit_words + capacity) * 4);

    made->pieces = pieces;
    made->capacity = capacity;
    made->words = &made->not_zero[bit_words];
    if (image && image->pieces == pieces) {
        for (uint32_t i = 0; i < bit_words; i++) made->not_zero[i] = image->not_zero[i];
        for (uint32_t i = 0; i < image->capacity; i++) made->words[i] = image->words[i];
    }
    ts_free(image);
    image = made;
}

static void take_image(void (*entry)(void), char *stack)
{
    struct range range[RANGES];
    uint32_t words = 0, bits = 0, piece = 0, used = 0;

    find_ranges(range, heap_break(), stack);
    for (int r = 0; r < RANGES; r++) words += range[r].words;
    /* Children that were sent the last image must have read it before it changes. */
    for (int i = 0; i < ts_processes(); i++)
        while (mine[i] && (int32_t)(table->slot[i].started - mine[i]) < 0) ts_relax();
    if (!image || image->pieces < words / PIECE + RANGES) {
        uint32_t most = words + words / 8 + 256; /* heap and stack may have grown a little next time */
        make_image(most / PIECE + RANGES, most < FIRST_CAPACITY ? most : FIRST_CAPACITY);
    }
    for (int r = 0; r < RANGES; r++)
        for (uint32_t at = 0; at < range[r].words; at += PIECE) {
            uint32_t rest = range[r].words - at, count = rest < PIECE ? rest : PIECE;
            if (!all_zero(range[r].from + at, count)) {
                bits |= 1u << piece % 32;
                if (used + count > image->capacity) make_image(image->pieces, 2 * image->capacity);
                store_changed(image->words + used, range[r].from + at, count);
                used += count;
            }
            if (++piece % 32 == 0) {
                store_changed(&image->not_zero[piece / 32 - 1], &bits, 1);
                bits = 0;
            }
        }
    store_changed(&image->not_zero[piece / 32], &bits, 1);
    image->entry = entry;
    image->stack = stack;
    image->heap_end = heap_break();
}

/* ---- the creator ---- */

bool process_claim(uint32_t *process, uint32_t *ticket)
{
    uint32_t processes = (uint32_t)ts_processes();

    ts_number_lock(LOCK_PROCESSES);
    for (uint32_t i = 1; i < processes; i++) {
        struct slot *slot = &table->slot[i];
        if (slot->created != slot->ended) continue;
        *process = i;
        *ticket = ++slot->created;
        ts_number_unlock(LOCK_PROCESSES);
        return true;
    }
    ts_number_unlock(LOCK_PROCESSES);
    return false;
}

static uint32_t claim(void)
{
    uint32_t process, ticket;

    if (process_claim(&process, &ticket)) return process;
    ts_fail("CREATE: one process more than this run has: %d on %lu sites of %lu aPs", ts_processes(),
            (unsigned long)AP_REG(AP_SITES), (unsigned long)AP_REG(AP_APS));
}

static void announce_parallel_part(void)
{
    if (table->parallel) return;
    table->parallel = 1;
    for (uint32_t site = 0; site < AP_REG(AP_SITES); site++)
        express_send(site << 3 | NAME_SP_SERVICE, TS_SVC_PARALLEL, 1, PRIO_LOW);
    for (uint32_t site = 0; site < AP_REG(AP_SITES); site++) express_receive(TS_SVC_PARALLEL);
}

static void send_image(uint32_t process)
{
    uint32_t site = process / AP_REG(AP_APS), ap = process % AP_REG(AP_APS);

    mine[process] = table->slot[process].created;
    files_inherit(process);
    express_send(site << 3 | (NAME_AP + ap), TS_AP_START, (uint32_t)image, PRIO_LOW);
}

static void start_processes(void (*entry)(void), int count, char *stack)
{
    announce_parallel_part();
    take_image(entry, stack);
    for (int i = 0; i < count; i++) send_image(claim());
}

void process_start(uint32_t process, void (*entry)(void))
{
    announce_parallel_part();
    take_image(entry, NULL);
    send_image(process);
}

void process_wait(uint32_t process, uint32_t ticket)
{
    while ((int32_t)(table->slot[process].ended - ticket) < 0) ts_relax();
    ts_fence();
}

/* Not inlined: the frame address is the caller's stack pointer, from which on the stack is in use. */
__attribute__((noinline)) void ts_create(void (*entry)(void))
{
    start_processes(entry, 1, __builtin_frame_address(0));
}

__attribute__((noinline)) void ts_create_all(void (*entry)(void), int processes)
{
    if (processes < 1 || processes > ts_processes())
        ts_fail("CREATE of %d processes: the legal range is 1..%d", processes, ts_processes());
    if (processes > 1) start_processes(entry, processes - 1, __builtin_frame_address(0));
    entry();
}

void ts_wait_for_end(int processes)
{
    if (processes < 0 || processes > ts_processes())
        ts_fail("WAIT_FOR_END of %d processes: the legal range is 0..%d", processes, ts_processes());
    for (int i = 0; i < ts_processes(); i++) {
        while (mine[i] && (int32_t)(table->slot[i].ended - mine[i]) < 0) ts_relax();
        mine[i] = 0;
    }
    ts_fence();
}

/* ---- the created ---- */

static void run_entry(void)
{
    entry_point();
    exit(0);
}

/* Makes the caller's memory that of the image; `fresh`: nothing ran here since the loader, so what begins as zeros is zeros. */
static void take_over(const struct image *from, bool fresh)
{
    const volatile uint32_t *word = from->words;
    struct range range[RANGES];
    uint32_t piece = 0;

    find_ranges(range, from->heap_end, from->stack);
    for (int r = 0; r < RANGES; r++)
        for (uint32_t at = 0; at < range[r].words; at += PIECE, piece++) {
            uint32_t rest = range[r].words - at, count = rest < PIECE ? rest : PIECE, *to = range[r].from + at;
            if (from->not_zero[piece / 32] >> piece % 32 & 1)
                for (uint32_t i = 0; i < count; i++) to[i] = *word++;
            else if (!fresh || r != 0 || (char *)to < __bss_start)
                for (uint32_t i = 0; i < count; i++) to[i] = 0;
        }
}

void worker(void)
{
    const struct image *from = (const struct image *)express_receive_start();
    struct slot *slot = &table->slot[ts_self()];
    char *stack = from->stack;

    take_over(from, slot->created == 1);
    entry_point = from->entry;
    image = NULL;
    for (int i = 0; i < TS_MAX_PROCESSES; i++) mine[i] = 0;
    console_forget();
    own_stack = globals_shared() ? ts_alloc(TS_THREAD_STACK) : NULL;
    if (own_stack) stack = own_stack + TS_THREAD_STACK;
    ts_fence();
    slot->started = slot->created;
    jump_on_stack((char *)((uint32_t)stack & ~15u), run_entry);
}

/* On the worker's stack: the process's own is given back. Who may send the next image learns last that this one is done. */
static void leave(void)
{
    struct slot *slot = &table->slot[ts_self()];

    ts_free(own_stack);
    ts_fence();
    slot->ended = slot->created;
    worker();
}

void worker_ended(void) { jump_on_stack(__worker_stack, leave); }
