/*
 * Service messages between aPs and sPs (BZ-28, BZ-39): Express, one 32-bit word and a 5-bit tag, to logical name
 * `site << 3 | 1`. They arrive at the sP as events 64 + tag. Requests travel at low priority, answers at high priority
 * with the tag of the request; an aP has at most one unanswered request, so an answer always finds room.
 *
 * A lock and a barrier are *named*, not allocated: the name is the address of the program's variable, which is equal in
 * every process whether the variable lies in the shared heap or is a private global that CREATE copied. An sP therefore
 * needs a table entry only while a lock is held or a barrier is incomplete.
 */
#ifndef TURNSTILE_SERVICE_H
#define TURNSTILE_SERVICE_H

/* word: name of the lock, sent to the sP of site TS_LOCK_HOME. Answered (any word) when the lock is the asker's. The
   queue is first in, first out: round-robin under contention. */
#define TS_SVC_LOCK 0
/* word: name of the lock, to the same sP. Not answered. Releasing a lock that is not held is a firmware error report. */
#define TS_SVC_UNLOCK 1
/* word: TS_BARRIER_WORD, to the sP of site 0. Answered to all when `processes` have arrived; the name is free again. */
#define TS_SVC_BARRIER 2
/* word: number of processes, to the sP of every site, before the first process starts: the start of the parallel part
   (BZ-27: from here on the first toucher becomes a page's home). Not answered. */
#define TS_SVC_PARALLEL 3

/* Locks spread over the sites; 4-byte locks of an ALOCK array fall on different sites. */
#define TS_LOCK_HOME(name, sites) (((name) >> 2) % (sites))

/* 24 bits of name (word address within 64 MB; private and shared offsets do not overlap), 8 bits of processes - 1. */
#define TS_BARRIER_WORD(address, processes) ((((address) >> 2) & 0xffffffu) << 8 | ((processes) - 1))
#define TS_BARRIER_NAME(word) ((word) >> 8)
#define TS_BARRIER_PROCESSES(word) (((word) & 0xffu) + 1)

/* aP to aP, name `site << 3 | (2 + ap)`: start of a process (BZ-39 bootstrap channel). word: address of struct ts_image. */
#define TS_AP_START 16

#endif
