/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file turnstile_host.h
 * libturnstile: a process of a Linux host uses a card: messages by a queue of its own, and the card's shared memory.
 *
 * Names are those of the aPs' runtime (turnstile_message.h) where they mean the same. The header is another, because a host may have
 * several cards, has no process numbers but names, and is never ended by the library: every call that may fail returns a code
 * below 0, and ts_strerror has the sentence.
 *
 * Two paths lead to the card (ts_path()). "mmap": the queue's page and the shared heap are mapped; a message is sent by one store and taken
 * by one load, without a system call. "calls": where the kernel cannot map them (User-Mode Linux) the same accesses are pread and pwrite.
 *
 * Threads: one card may be used by any number of threads, but ts_close and ts_express_open by one while no other is in a call with that card.
 * Processes: a card is of the process that opened it; a child gets TS_ERROR_FORKED and opens its own.
 */
#ifndef TURNSTILE_HOST_H
#define TURNSTILE_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** What a call returns when it fails. */
enum ts_error {
    TS_ERROR_ARGUMENT = -1,   /**< an argument is out of range */
    TS_ERROR_NO_CARD = -2,    /**< there is no card of this name */
    TS_ERROR_PERMISSION = -3, /**< this user may not open it */
    TS_ERROR_VERSION = -4,    /**< library and driver are not of one tree */
    TS_ERROR_BUSY = -5,       /**< other processes have all queues */
    TS_ERROR_NO_QUEUE = -6,   /**< ts_express_open was not called, or twice */
    TS_ERROR_FULL = -7,       /**< no room in the transmit queue now */
    TS_ERROR_TIMEOUT = -8,    /**< nothing came in that time */
    TS_ERROR_GONE = -9,       /**< the card was taken away */
    TS_ERROR_FORKED = -10,    /**< it is the parent's */
    TS_ERROR_STORE = -11,     /**< shared memory takes no stores */
    TS_ERROR_SYSTEM = -12,    /**< anything else that the kernel says */
};

/**
 * The sentence of the calling thread's last error, when it had this code: what, which value, what is legal, what to do. Otherwise what
 * the code means. Valid until the thread's next error. Any thread.
 */
const char *ts_strerror(int code);

/* ---- a card ---- */

typedef struct ts_card ts_card_t;

typedef struct {
    uint32_t build_id;       /**< of the registers, in card, driver and library alike */
    uint32_t express_queues; /**< that processes may have, a bit each */
    uint32_t basic_queues;
    uint64_t shared_bytes;   /**< of the shared heap */
    uint64_t shared_address; /**< what the card's aPs call its first byte */
} ts_info_t;

/**
 * Opens @p device, a path; NULL: /dev/turnstile0. TS_ERROR_NO_CARD, _PERMISSION, _VERSION, _GONE, _SYSTEM; then @p card is NULL.
 */
int ts_open(const char *device, ts_card_t **card);
/** Gives back the queue, with what came for it; NULL is allowed. In a child that inherited it too. */
void ts_close(ts_card_t *card);
/** Constant while the card is open. */
const ts_info_t *ts_info(const ts_card_t *card);
/** "mmap" or "calls". */
const char *ts_path(const ts_card_t *card);
/** 1: the card interrupts the host, so that who waits sleeps; 0: the host has no interrupts for it. */
int ts_sleeps(const ts_card_t *card);
/**
 * The card's file, for poll() or epoll beside others (level triggered): readable when a queue of this card may have a message. Without interrupts it always is.
 */
int ts_file(const ts_card_t *card);

/* ---- Express messages ---- */

/** Names of a cluster: aP 0..3, or Express queue 2..7, of site 0..63. */
static inline int ts_name_of_ap(int site, int ap) { return site << 3 | (2 + ap); }
static inline int ts_name_of_queue(int site, int queue) { return site << 3 | queue; }

typedef struct {
    uint32_t word;
    int from; /**< name under which to answer */
    unsigned tag, priority;
} ts_express_t;

/** A destination with tag and priority. Its fields are the library's. */
typedef struct {
    volatile uint32_t *at;
    ts_card_t *card;
    uint64_t offset;
} ts_express_port_t;

/** Gets an Express queue of the card's own. Its number (above 0), or TS_ERROR_BUSY, _NO_QUEUE (it has one), _GONE, _FORKED, _SYSTEM. */
int ts_express_open(ts_card_t *card);

/**
 * Sends @p word to the name @p to (0..511, of an aP or a queue: the last three bits are 2 or more) with @p tag (0..31, but 16, which is the aPs' runtime's) and
 * @p priority (0; 1: before the others in the sender's queue). When there is no room it is not sent: TS_ERROR_FULL.
 * One load of the card, to see the room, and one store. Messages do not wait for stores to shared memory: ts_fence() between.
 */
int ts_express_send(ts_card_t *card, int to, unsigned tag, unsigned priority, uint32_t word);

/** The port for messages that ts_express_store sends, with the same arguments and errors. Valid until the card is closed. */
int ts_express_port(ts_card_t *card, int to, unsigned tag, unsigned priority, ts_express_port_t *port);
int ts_express_store_by_call(const ts_express_port_t *port, uint32_t word);
/**
 * One store, and nothing else: on the path "mmap" one instruction. Without room the message is lost and counted (ts_express_lost), so it is for those who know
 * how many are on their way. 0; on the path "calls" also TS_ERROR_GONE, _FORKED, _SYSTEM.
 */
static inline int ts_express_store(const ts_express_port_t *port, uint32_t word)
{
    if (!port->at) return ts_express_store_by_call(port, word);
    *port->at = word;
    return 0;
}

/** Messages of this queue that were lost for want of room, modulo 65536, since the card's reset. One load of the card. */
int ts_express_lost(ts_card_t *card);

/** Takes the next message: 1; 0: there is none. TS_ERROR_NO_QUEUE, _GONE, _FORKED, _SYSTEM. One load of the card. */
int ts_express_poll(ts_card_t *card, ts_express_t *message);
/** Waits for the next message, @p milliseconds at most (below 0: for ever) and polling all the time: 0, TS_ERROR_TIMEOUT, or as ts_express_poll. */
int ts_express_receive(ts_card_t *card, ts_express_t *message, int milliseconds);

/**
 * The same, asleep: after a few looks the thread sleeps until the card interrupts. Where the host has no interrupts for the card (ts_sleeps() is 0) it polls as
 * ts_express_receive. A message that comes at any time wakes it.
 */
int ts_express_wait(ts_card_t *card, ts_express_t *message, int milliseconds);

/* ---- Basic messages: 0 to 88 bytes, in a ring of the card's memory ---- */

enum { TS_BASIC_BYTES = 88 };

typedef struct {
    int from; /**< name under which to answer */
    unsigned tag, bytes;
    unsigned char payload[TS_BASIC_BYTES]; /**< `bytes` of it */
} ts_basic_message_t;

/** Gets a Basic queue of the card's own: 16 slots to send from, 64 to receive. Its number, or as ts_express_open. */
int ts_basic_open(ts_card_t *card);
/**
 * Puts a message of @p bytes (0..TS_BASIC_BYTES) at @p data, for @p to and with @p tag as in ts_express_send, into the ring. It leaves with ts_basic_launch. When no
 * slot is free: TS_ERROR_FULL. Stores of the card, by the kernel on both paths, as ts_store.
 */
int ts_basic_make(ts_card_t *card, int to, unsigned tag, const void *data, unsigned bytes);
/** All messages made leave, in order: one load, so that the slots are written, and one store. */
int ts_basic_launch(ts_card_t *card);
/** Both in one; other messages that were made leave too. */
int ts_basic_send(ts_card_t *card, int to, unsigned tag, const void *data, unsigned bytes);
/** Takes the next message: 1; 0: there is none. One load, and for a message those of its slot and a store. Who does not read loses what comes when the ring is full. */
int ts_basic_poll(ts_card_t *card, ts_basic_message_t *message);
/** As ts_express_receive. */
int ts_basic_receive(ts_card_t *card, ts_basic_message_t *message, int milliseconds);
/** As ts_express_wait. */
int ts_basic_wait(ts_card_t *card, ts_basic_message_t *message, int milliseconds);
/** How many things of the queue were refused or lost since this was asked last (modulo 65536), and the last in words; 0 and NULL: nothing. */
int ts_basic_refused(ts_card_t *card, const char **why);

/* ---- shared memory: bytes 0..shared_bytes-1 ---- */

/** What each word of a line reads as that the card did not get in time; /sys/class/turnstile/turnstileN/fault says where. */
#define TS_NOT_LOADED 0xBAD0BAD0u

/** Copies from shared memory. TS_ERROR_ARGUMENT, _GONE, _FORKED, _SYSTEM. The path "mmap": a load of 8 bytes each, no system call. */
int ts_load(ts_card_t *card, uint64_t offset, void *to, size_t bytes);
/** Copies to shared memory, by the kernel on both paths: it waits for places, so that no store is lost. As ts_load, and TS_ERROR_STORE. */
int ts_store(ts_card_t *card, uint64_t offset, const void *from, size_t bytes);
/** All stores to shared memory that the caller made before are done when it returns: before a message that speaks of them. One load. */
int ts_fence(ts_card_t *card);
/**
 * The shared heap in the caller's memory; NULL on the path "calls". Loads are as any; who stores here must not have more than 4 KB of stores (of all the
 * host's processes) on their way, for one without a place is lost: ts_store has no such limit.
 */
void *ts_shared(ts_card_t *card);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
