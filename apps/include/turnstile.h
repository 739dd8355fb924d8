/**
 * @file turnstile.h
 * Parallel programs on Turnstile: processes, shared heap, locks, barriers. parmacs.m4 is written on this interface; a
 * plain C program may use it directly (apps/hello.c does).
 *
 * Processes are SPMD and fork-like (docs/reference/sources.md): every process has its own globals, heap and stack; only what ts_alloc
 * returned is shared, at one address everywhere, sequentially consistent. There is one process per aP.
 */
#ifndef TURNSTILE_H
#define TURNSTILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Coherence block in bytes: ts_alloc aligns to it, so that two allocations never share a block falsely (BZ-06). */
#define TS_BLOCK 128

/* ---- processes (BZ-39) ---- */

/** Processes this run can hold: sites x aPs a site, or fewer when the run was told so. 1..256. */
int ts_processes(void);
/** Number of the calling process, 0 for the one that runs main. */
int ts_self(void);
/** Site the calling process runs on, 0..63; on the workstation always 0. */
int ts_site(void);

/**
 * Starts one more process in @p entry, on the lowest aP that is free. The new process begins with a copy of the caller's
 * globals, private heap and used stack, at equal addresses; it ends when @p entry returns or calls exit.
 * More processes than ts_processes() end the program with a message.
 */
void ts_create(void (*entry)(void));
/** Starts @p processes - 1 processes in @p entry and runs it in the caller too, as the last. */
void ts_create_all(void (*entry)(void), int processes);
/**
 * Waits until the processes the caller created have ended. @p processes is only checked for sense (0..ts_processes()):
 * SPLASH-2 counts the created ones, its descendants the caller as well.
 */
void ts_wait_for_end(int processes);

/* ---- shared heap ---- */

/** @p bytes of shared memory aligned to TS_BLOCK, contents undefined. Never NULL: exhaustion ends the program with a message. */
void *ts_alloc(size_t bytes);
/**
 * Whole pages (4096 B) of shared memory: home at the site of @p process (BZ-26; -1: as the run's policy says), coherence
 * block of @p block bytes (BZ-06; 64..2048, a power of two; 0: the run's default). For data that mostly one process writes.
 */
void *ts_alloc_pages(size_t bytes, int process, int block);
/**
 * ts_alloc_pages, kept coherent by @p mode: a page mode of one of the firmware's protocols (PROTOCOL= of the run; docs/user/protocols.md).
 * A mode that the firmware does not have, or pages that were used before, end the program with a message. On the workstation any mode
 * is as good as another.
 */
void *ts_alloc_mode(size_t bytes, int process, int block, const char *mode);
/**
 * Calls a service of a protocol, "protocol.service", at the site of @p process (-1: the caller's own) and returns its answer. A service
 * that the firmware does not have ends the program with a message. On the workstation it does nothing and returns 0.
 */
uint32_t ts_call(int process, const char *service, uint32_t word);
/** ts_alloc with advice about the home: whole pages at @p process when @p bytes fill at least one. */
void *ts_alloc_at(size_t bytes, int process);
/** Gives back what one of these returned; NULL is allowed, anything else ends the program with a message. */
void ts_free(void *memory);

/* ---- locks, barriers (BZ-28): served by the sPs. Not to be copied: the variable knows its address ---- */

typedef struct { uint32_t name; volatile uint32_t held; } ts_lock_t;
typedef struct { uint32_t name, processes; } ts_barrier_t;

/** Makes @p count locks in a row. Unmade locks, and copies, end the program with a message when used. */
void ts_lock_init(ts_lock_t *locks, int count);
void ts_lock(ts_lock_t *lock);
/** Only for the process that holds it. */
void ts_unlock(ts_lock_t *lock);
/** @p processes as in ts_barrier; 0 when every ts_barrier names its own count. */
void ts_barrier_init(ts_barrier_t *barrier, int processes);
/** Waits for @p processes (1..ts_processes()) processes; 0: the number given to ts_barrier_init. */
void ts_barrier(ts_barrier_t *barrier, int processes);

/** A lock for a few instructions on one shared variable, which needs no making. Never taken inside another. */
void ts_guard(const volatile void *variable);
void ts_unguard(const volatile void *variable);

/* ---- the rest of the ANL set: shared memory and guards; the variables must lie in the shared heap ---- */

typedef struct { volatile uint32_t set; } ts_pause_t;
void ts_pause_init(ts_pause_t *pause);
void ts_pause_set(ts_pause_t *pause);
void ts_pause_clear(ts_pause_t *pause);
/** Waits until the flag is set; does not clear it. */
void ts_pause_wait(ts_pause_t *pause);

typedef struct { volatile int32_t next, done; ts_barrier_t barrier; } ts_getsub_t;
void ts_getsub_init(ts_getsub_t *getsub);
/** Next subscript 0..@p last, each given once; -1 when there is none left, after all @p processes have been told so. */
int ts_getsub(ts_getsub_t *getsub, int last, int processes);

typedef struct { volatile int32_t value; } ts_semaphore_t;
void ts_semaphore_init(ts_semaphore_t *semaphore, int value);
void ts_semaphore_p(ts_semaphore_t *semaphore);
void ts_semaphore_v(ts_semaphore_t *semaphore);

typedef struct { volatile uint32_t signals; } ts_condition_t;
void ts_condition_init(ts_condition_t *condition);
/** Releases @p lock, waits for a signal, takes @p lock. May return without one: callers test their condition again. */
void ts_condition_wait(ts_condition_t *condition, ts_lock_t *lock);
void ts_condition_signal(ts_condition_t *condition);

#define TS_MONITOR_QUEUES 8
typedef struct {
    volatile uint32_t held, delayed[TS_MONITOR_QUEUES], resumed[TS_MONITOR_QUEUES];
    volatile int32_t asking, ended, left; /* of an askfor monitor */
} ts_monitor_t;
/** @p queues in 1..TS_MONITOR_QUEUES. */
void ts_monitor_init(ts_monitor_t *monitor, int queues);
void ts_monitor_enter(ts_monitor_t *monitor);
void ts_monitor_exit(ts_monitor_t *monitor);
/** Leaves the monitor and waits in @p queue; returns inside the monitor. */
void ts_monitor_delay(ts_monitor_t *monitor, int queue);
/** Leaves the monitor, handing it to the first process waiting in @p queue, if any. */
void ts_monitor_continue(ts_monitor_t *monitor, int queue);
/** Askfor, for the macro, all inside the monitor: nonzero when the processes are to stop asking. */
int ts_monitor_ended(ts_monitor_t *monitor);
/** The caller found nothing: 0 look again, else the end's code (1 when all @p processes found nothing). */
int ts_monitor_nothing(ts_monitor_t *monitor, int processes);
/** Nonzero for the last process that ts_monitor_nothing told of the end: the monitor may be reset. */
int ts_monitor_last(ts_monitor_t *monitor);
/** Called outside: every process that asks, or waits, gets @p code. */
void ts_monitor_end(ts_monitor_t *monitor, int code);

/* ---- clock, order, errors ---- */

/** Time: cycles since reset (low 32 bits on the aP); on the workstation microseconds. */
unsigned long ts_clock(void);
/** "cycles" or "us". */
extern const char ts_clock_unit[];
/** Begin (1) and end (2) of the part of a program that is measured, for the simulator's report. */
void ts_mark(uint32_t value);
/** Orders the caller's accesses. The memory is sequentially consistent, so this stops only the compiler on the aP. */
void ts_fence(void);
/** Between two looks at a shared flag. */
void ts_relax(void);
/** Prints "process N: <message>" and ends the whole program with status 1. printf format. */
void ts_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
