/* What a machine (runtime/: the aP, host/: the workstation) offers to the parts of the runtime that are the same on both. */
#ifndef TS_PLATFORM_H
#define TS_PLATFORM_H

#include <stdbool.h>
#include <turnstile.h>

/** Bounds of the memory the shared heap manages: TS_BLOCK aligned, the same addresses in every process. */
void ts_heap_region(char **base, char **end);
/** What a user does about an exhausted heap, for the message. */
extern const char ts_heap_advice[];
/** Tells the protocol about an untouched page: home site of @p process (-1: not said), block in bytes (0: not said), number of a mode
 * (0: that of the run). False: somebody has touched it. */
bool ts_page_set(void *page, int process, int block, int mode);
/** Number of a page mode; ends the program with a message when there is none of this name. */
int ts_page_mode(const char *name);

/** Locks by number, 0..ts_number_locks() - 1, first come first served; the releaser is the holder. */
uint32_t ts_number_locks(void);
void ts_number_lock(uint32_t number);
void ts_number_unlock(uint32_t number);
/** Barriers by number, 0..65535. */
void ts_number_barrier(uint32_t number, uint32_t processes);

/* ---- what the common parts offer each other ---- */

/** Lock numbers 0.. are given away as follows; the program's locks come after. */
enum { LOCK_PROCESSES = 0, LOCK_HEAP = 1, LOCK_GUARDS = 2, LOCK_PROGRAM = 64 };

/** State of the runtime in the first block of the heap region, changed under LOCK_HEAP. */
struct ts_shared_state {
    struct piece *free;
    uint32_t next_lock, next_barrier;
};
struct ts_shared_state *ts_shared_state(void);
/** Makes heap and state; once, by process 0, before main. */
void ts_heap_init(void);

/** A lock that is a word of shared memory: any number of them, and the releaser may be another process. */
void ts_word_lock(volatile uint32_t *held);
void ts_word_unlock(volatile uint32_t *held);

#endif
