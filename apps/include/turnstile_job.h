/*
 * What the boot loader and the aPs' runtime agree on (BZ-39). Plain C, no types but <stdint.h>: the simulator includes it.
 *
 * Every aP starts at TS_BOOT, in its own private window. The loader writes the program's ELF segments and then the job
 * block below into the private window of every aP; process k runs on aP (k mod aps) of site (k / aps).
 */
#ifndef TURNSTILE_JOB_H
#define TURNSTILE_JOB_H

#include <stdint.h>

#define TS_PRIVATE_BASE 0x40000000u /* contract §1: every process finds its code and globals here */
#define TS_PRIVATE_SIZE 0x00200000u
#define TS_SHARED_BASE 0x80800000u  /* shared heap: one address everywhere */
#define TS_DRAM_BASE 0x80000000u
#define TS_SYSTEM_SIZE 0x00100000u  /* last 1 MB of memory: rings and directory, not ours */
#define TS_MEMORY_DEFAULT 0x01000000u

#define TS_BOOT TS_PRIVATE_BASE         /* reset vector and ELF entry */
#define TS_JOB (TS_PRIVATE_BASE + 0x40) /* address of struct ts_job */
#define TS_JOB_MAGIC 0x4a4f4231u        /* "JOB1": written by the linker script, so a loader can refuse a foreign ELF */
#define TS_JOB_ARGS 3008                /* bytes for all arguments with their NULs */
#define TS_MAX_PROCESSES 256            /* 64 sites of 4 aPs */

struct ts_job {
    uint32_t magic;
    uint32_t memory_bytes; /* DRAM of a site; 0: TS_MEMORY_DEFAULT */
    uint32_t processes;    /* processes to offer, 1..sites*aps; 0: all */
    uint32_t argc;         /* strings in args, the program's name first; 0: the name alone, "program" */
    char args[TS_JOB_ARGS];
};

/* Exit statuses the runtime adds to the program's own. */
#define TS_EXIT_FAIL 1 /* the runtime gave up: its message says why */
#define TS_EXIT_TRAP 4 /* an aP trapped: its message has cause, PC, address */

#endif
