/*
 * Host calls: what the workstation does for a process (docs/design/host-calls.md). Plain C, no types but <stdint.h>: the simulator
 * includes it.
 *
 * The process fills struct tt_call, at symbol `__tt_call` of its own private window, and stores TS_CONSOLE_CALL to its console register.
 * The workstation reads the call, does it, writes `data` and last `answer`.
 */
#ifndef TURNSTILE_CALL_H
#define TURNSTILE_CALL_H

#include <stdint.h>

/* Characters of the console register that are no text. */
#define TS_CONSOLE_CALL 0x05    /* ENQ: a host call */
#define TS_CONSOLE_STDERR 0x0E  /* SO: what follows is of stderr */
#define TS_CONSOLE_STDOUT 0x0F  /* SI: of stdout again */
#define TS_CONSOLE_LITERAL 0x10 /* DLE: the next character is text, whatever it is */

#define TS_CALL_BYTES 1024u
#define TS_CALL_PENDING 0x80000000u

struct tt_call {
    uint32_t number, a, b, c; /* written by the process; number: TS_CALL_* */
    uint32_t apart[12];
    uint32_t answer; /* by the workstation: 0 or more, or an errno of picolibc, negative; by the process, before: TS_CALL_PENDING */
    uint32_t apart_too[15];
    uint8_t data[TS_CALL_BYTES]; /* a path with its NUL, what is written, what was read */
};

/* Numbers, with a, b, c; `path`: in data, of so many bytes with its NUL. What is not said is 0. */
#define TS_CALL_OPEN 1    /* TS_OPEN_*, bytes of path; answers a file */
#define TS_CALL_CLOSE 2   /* file */
#define TS_CALL_READ 3    /* file, bytes; answers how many are in data */
#define TS_CALL_WRITE 4   /* file, bytes in data; answers how many were written */
#define TS_CALL_SEEK 5    /* file, offset, TS_SEEK_*; answers the new offset */
#define TS_CALL_STAT 6    /* -, bytes of path; answers TS_STAT_BYTES, in data */
#define TS_CALL_FSTAT 7   /* file; the same */
#define TS_CALL_UNLINK 8  /* -, bytes of path */
#define TS_CALL_INHERIT 9 /* process: has the files of the caller from now on, and no others */
#define TS_CALL_FORGET 10 /* closes the caller's files, but leaves stdin */

#define TS_OPEN_READ 1u
#define TS_OPEN_WRITE 2u
#define TS_OPEN_CREATE 4u
#define TS_OPEN_EXCLUSIVE 8u
#define TS_OPEN_TRUNCATE 16u
#define TS_OPEN_APPEND 32u
#define TS_OPEN_ALL 63u

#define TS_SEEK_SET 0
#define TS_SEEK_CURRENT 1
#define TS_SEEK_END 2

/* Two words: size in bytes; 1 for a folder, else 0. */
#define TS_STAT_BYTES 8u

#endif
