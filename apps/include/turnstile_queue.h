/**
 * @file turnstile_queue.h
 * Receive queues of a process beside its own two, each with a name and with rights of its own (VY-33, VY-34, VY-36, VY-38, VY-39;
 * docs/design/names.md). On the cluster only.
 *
 * Who may send to a queue is said process by process (ts_queue_grant); the name is the same for all of them. What comes waits in a ring in the
 * owner's memory, which the sP fills, whether the owner runs or not. Messages of one mechanism from one process are taken in the order in
 * which they were sent, none twice. Senders are held while half of a ring is unread; what finds no slot is lost and counted.
 * A queue is one thread's, but for what is shared below. An argument out of range ends the program with a message.
 */
#ifndef TURNSTILE_QUEUE_H
#define TURNSTILE_QUEUE_H

#include <turnstile_message.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Queues of a process, at most; slots of a queue's ring. */
enum { TS_QUEUES = 8, TS_QUEUE_LEAST_SLOTS = 32, TS_QUEUE_MOST_SLOTS = 256, TS_QUEUE_FIFO = 16 };

/** A message as it was taken. */
typedef struct {
    int from;              /**< process that sent it */
    unsigned tag, priority, basic; /**< `basic`: 1 of a Basic message, 0 of an Express message */
    unsigned bytes;        /**< of a Basic message; 4 of an Express message */
    uint32_t payload[TS_BASIC_BYTES / 4];
} ts_queue_message_t;

/** What was unread of a queue that moves, at most a ring and a FIFO full: in shared memory (ts_alloc), zero at first. */
typedef struct {
    volatile unsigned ready, count;
    ts_queue_message_t messages[TS_QUEUE_MOST_SLOTS + TS_QUEUE_FIFO];
} ts_queue_load_t;

/** A queue. `name` is what senders are told, `place` (0..2047) what another process needs to move a queue to this one; the other fields are the library's. */
typedef struct {
    unsigned name, place, number, slots;
    volatile uint32_t *ring, *fifo;
    uint32_t taken, full, kept;
    uint32_t parked[TS_QUEUE_FIFO][2], parked_came, parked_taken;
    const ts_queue_load_t *load;
    unsigned load_taken;
} ts_queue_t;

/** Makes a queue of @p slots (a power of two), parked, to which nobody may send. 0: the process has all it can have; the larger the cluster
 * the fewer names a site has (docs/design/names.md). */
int ts_queue_open(ts_queue_t *queue, unsigned slots);
/** Ends it; it must be parked. What still comes for it is lost and told. */
void ts_queue_close(ts_queue_t *queue);
/** Lets process @p from send to it (@p allowed 1), or no more (0). Returns when that holds. */
void ts_queue_grant(ts_queue_t *queue, int from, int allowed);
/** Gives the queue an Express FIFO of the hardware, so that Express messages come without the sP; what was kept is taken first. 0: none is free,
 * and all goes on as it was. */
int ts_queue_resume(ts_queue_t *queue);
/** Takes the FIFO away again: all that comes is kept. */
void ts_queue_park(ts_queue_t *queue);
/** Takes the next message; 0 when there is none. */
int ts_queue_poll(ts_queue_t *queue, ts_queue_message_t *message);
/** Lets the queue with name @p name move to this one, to which nobody may send yet (ts_queue_grant). */
void ts_queue_expect(ts_queue_t *queue, unsigned name);
/**
 * Moves what @p queue is to its senders, that is its name, to the queue at place @p to, of any process that expects it, and what is unread into @p load
 * for that process. Senders go on meanwhile. The two queues have exchanged their names then. 0: it was not expected, nothing has changed. What came with
 * an earlier move is to be taken before (ts_queue_brought).
 */
int ts_queue_move(ts_queue_t *queue, unsigned to, ts_queue_load_t *load);
/** Waits for the queue with name @p name, which was expected; @p load is read by ts_queue_poll before all that came since. */
void ts_queue_adopt(ts_queue_t *queue, unsigned name, const ts_queue_load_t *load);
/** Messages that came with the queue and are not yet taken; ts_queue_poll takes them first. */
unsigned ts_queue_brought(const ts_queue_t *queue);
/** Messages that were lost because the ring was full. */
unsigned ts_queue_lost(const ts_queue_t *queue);

/** The port of a queue's name for the calling process, as ts_express_port; what is sent to a name that was not granted is dropped and counted. */
ts_express_port_t ts_queue_port(unsigned name, unsigned tag, unsigned priority);
/** Begins a Basic message to a name, as ts_basic_make. */
void *ts_queue_make(ts_basic_t *queue, unsigned name, unsigned tag, unsigned bytes);

/**
 * Lets process @p process of the same site send by the caller's Express queue (@p allowed 1), or no more (0), beside the caller and without a lock
 * (VY-27): what it sends comes from the caller.
 */
void ts_express_share(int process, int allowed);
/** @p port, of any ts_..._port, by the queue of @p owner, a process of the same site that shares it. What one process sends by it stays in order. */
ts_express_port_t ts_express_port_by(int owner, ts_express_port_t port);
/**
 * Lets process @p process of the same site take from the FIFO of @p queue, which has one (ts_queue_resume), or no more. Each message is one taker's. The owner
 * goes on to poll the queue: what found the FIFO full is in his ring. The FIFO is his alone again from ts_queue_park on, by when others no longer poll.
 * Returns the FIFO.
 */
unsigned ts_queue_share(ts_queue_t *queue, int process, int allowed);
/** Takes the next message of a FIFO that another process shares; 0 when there is none. */
int ts_queue_poll_shared(unsigned fifo, ts_queue_message_t *message);

#ifdef __cplusplus
}
#endif

#endif
