/**
 * @file turnstile_message.h
 * Messages between processes from user level, without a system call, by the three mechanisms of the message unit (docs/design/message.md):
 *
 *  - Express (VY-22 to VY-27): a word, a tag and a priority; one store sends it.
 *  - Basic (VY-16 to VY-19): 0 to TS_BASIC_BYTES bytes in rings that the process' cache holds. Any number of messages go with one
 *    pointer update, and are given back with one.
 *  - Basic with Tag-On (VY-28, VY-29): 1 or 2 lines of TS_LINE_BYTES besides, fetched from wherever they lie in the tag-on area.
 *
 * A process sends and receives by its own queues and no others. Order: messages of one mechanism and priority from one process to
 * another arrive in the order in which they were sent. A full Express queue holds its senders; nothing is lost. A full Basic ring
 * loses what comes after a while, and ts_basic_refused() of its owner says so: read as you send.
 *
 * An argument out of range ends the program with a message. On the workstation (make run-native) the same calls work between Unix
 * processes.
 */
#ifndef TURNSTILE_MESSAGE_H
#define TURNSTILE_MESSAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a Basic message, at most; of a line; lines of a tag-on area. */
enum { TS_BASIC_BYTES = 88, TS_LINE_BYTES = 64, TS_TAGON_LINES = 1024 };

/* ---- Express ---- */

typedef struct {
    uint32_t word;
    int from;              /**< process that sent it */
    unsigned tag, priority;
} ts_express_t;

/** A destination: process, tag and priority in one address. */
typedef volatile uint32_t *ts_express_port_t;

/**
 * The port of process @p to, for messages with @p tag (0..31, but 16, which is the runtime's) and @p priority (0, or 1: before the
 * others in the sender's queue). Valid for the calling process alone.
 */
ts_express_port_t ts_express_port(int to, unsigned tag, unsigned priority);
/** Sends @p word: one store, which waits while the queue is full. */
#ifdef __riscv
static inline void ts_express_store(ts_express_port_t port, uint32_t word) { *port = word; }
#else
void ts_express_store(ts_express_port_t port, uint32_t word);
#endif
/** ts_express_port and ts_express_store in one, with the fence that lets @p word speak of memory written before. */
void ts_express_send(int to, unsigned tag, unsigned priority, uint32_t word);
/** Takes the next message; 0 when there is none. What comes while the process waits in a lock or barrier is kept, TS_EXPRESS_KEPT at most. */
int ts_express_poll(ts_express_t *message);
enum { TS_EXPRESS_KEPT = 256 };
/** Waits for the next message. */
void ts_express_receive(ts_express_t *message);

/* ---- Basic, and lines attached to it ---- */

/** The calling process' Basic queue. Its fields are the library's. */
typedef struct {
    volatile uint32_t *pointers;
    unsigned char *transmit, *receive, *lines, *tagon;
    uint32_t slots, receive_slots, made, launched, sent, arrived, taken, released, refused;
} ts_basic_t;

/** A received message; `payload` and `line` are in the ring, until ts_basic_release. */
typedef struct {
    int from;              /**< process that sent it */
    unsigned tag, bytes;
    const void *payload;   /**< `bytes` */
    unsigned lines;        /**< lines attached, 0 to 2 */
    const void *line;      /**< TS_LINE_BYTES times `lines` */
} ts_basic_message_t;

/** Finds the process' own Basic queue. To be called by the process that uses it, after it was created. */
void ts_basic_open(ts_basic_t *queue);

/**
 * Begins a message of @p bytes (0..TS_BASIC_BYTES) with @p tag (0..31) to process @p to, and returns where its payload is to be written.
 * Several may be in the making; they leave with ts_basic_launch, in order. When the ring has no slot left it launches what was made and
 * waits for one.
 */
void *ts_basic_make(ts_basic_t *queue, int to, unsigned tag, unsigned bytes);
/** The same with @p lines (1 or 2) lines from line @p line of the tag-on area on. */
void *ts_tagon_make(ts_basic_t *queue, int to, unsigned tag, unsigned bytes, unsigned line, unsigned lines);
/** The tag-on area: TS_TAGON_LINES lines, the process' own. A line may be changed when all messages that take it have left. */
void *ts_tagon_area(ts_basic_t *queue);
/** All messages made leave: one pointer update. */
void ts_basic_launch(ts_basic_t *queue);
/** Makes and launches a message of @p bytes at @p data. */
void ts_basic_send(ts_basic_t *queue, int to, unsigned tag, const void *data, unsigned bytes);
/** Messages that can be made now without waiting. */
unsigned ts_basic_room(ts_basic_t *queue);
/** Waits until all launched messages have left: their slots and lines are the process' own again (the `sent` pointer of VY-28). */
void ts_basic_drain(ts_basic_t *queue);

/** Takes the next message, which stays in the ring; 0 when there is none. One pointer is read for all that have come. */
int ts_basic_poll(ts_basic_t *queue, ts_basic_message_t *message);
/** Messages that have come and were not taken: reads the pointer. */
unsigned ts_basic_waiting(ts_basic_t *queue);
/** Waits for the next message. */
void ts_basic_receive(ts_basic_t *queue, ts_basic_message_t *message);
/** Gives the slots of all messages taken back: one pointer update. Until then at most as many arrive as the ring has slots. */
void ts_basic_release(ts_basic_t *queue);

/* ---- OnePoll: both queues by one load (VY-31, VY-32) ---- */

/** A queue of the process; what a poll found. */
typedef enum { TS_NOTHING, TS_EXPRESS, TS_BASIC } ts_found_t;
/** Groups that a process may have. */
enum { TS_ONEPOLL_GROUPS = 4 };
/** A group of the process' queues. Its fields are the library's. */
typedef struct {
    volatile uint32_t *page;
    ts_basic_t *basic;
    ts_found_t order[2];
} ts_onepoll_t;

/**
 * Makes group @p number (0..TS_ONEPOLL_GROUPS - 1) of the process: queues @p first and @p second, in this order of priority; TS_NOTHING: none.
 * @p basic: the open Basic queue, when it is one of them. May be called again for another order.
 */
void ts_onepoll_open(ts_onepoll_t *poll, unsigned number, ts_found_t first, ts_found_t second, ts_basic_t *basic);
/**
 * Asks the queues of the group by one load. TS_EXPRESS: @p message was taken. TS_BASIC: something has come that ts_basic_poll takes; a queue counts until
 * what was taken is released (ts_basic_release), so release before you poll again. TS_NOTHING: no queue of the group has anything.
 */
ts_found_t ts_onepoll(ts_onepoll_t *poll, ts_express_t *message);

/** In words what the queue was last refused or has lost since this was asked last (since ts_basic_open at first); NULL: nothing. */
const char *ts_basic_refused(ts_basic_t *queue);

#ifdef __cplusplus
}
#endif

#endif
