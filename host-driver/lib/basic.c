/* SPDX-License-Identifier: Apache-2.0 */
/* Basic messages: slots of a ring in the card's memory, which leave with one store of a pointer (VY-16). */
#include "card.h"
#include "niu_regs.h"
#include <string.h>
#include <unistd.h>

enum { SLOT = 128, SLOTS = 1 << HOST_RING_TX_LOG2, RECEIVED = 1 << HOST_RING_RX_LOG2, HEAD = 8 };

/* A slot's first word (contract §4), and the payload behind the second. */
struct slot {
    uint32_t head, tagon;
    uint8_t payload[TS_BASIC_BYTES];
};

static int pointer(ts_card_t *card, uint32_t which, uint32_t *value)
{
    if (card->pointers) *value = *(volatile uint32_t *)(card->pointers + which);
    else if (pread(card->file, value, sizeof *value, card->basic.receive_offset + which) != sizeof *value) return ts_says_errno(card, "pread of a pointer");
    return 0;
}

static int set_pointer(ts_card_t *card, uint32_t which, uint32_t value)
{
    if (card->pointers) *(volatile uint32_t *)(card->pointers + which) = value;
    else if (pwrite(card->file, &value, sizeof value, card->basic.receive_offset + which) != sizeof value) return ts_says_errno(card, "pwrite of a pointer");
    return 0;
}

static int load_ring(ts_card_t *card, uint64_t at, void *to, size_t bytes)
{
    return ts_load_from(card, card->ring ? card->ring + at : NULL, card->basic.ring_offset + at, to, bytes);
}

int ts_basic_open(ts_card_t *card)
{
    struct turnstile_queue *queue = &card->basic;
    int result = ts_get_queue(card, TURNSTILE_QUEUE_BASIC, queue);

    if (result) return result;
    result = ts_map(card, queue->receive_offset, queue->receive_bytes, &card->pointers, "mmap of the pointers");
    if (!result) result = ts_map(card, queue->ring_offset, queue->ring_bytes, &card->ring, "mmap of the rings");
    if (!result) result = pointer(card, AP_BASIC_TX_PRODUCER, &card->made);
    if (!result) result = pointer(card, AP_BASIC_RX_CONSUMER, &card->taken);
    if (!result) result = pointer(card, AP_BASIC_STATUS, &card->refused);
    card->launched = card->made;
    card->sent = card->made - SLOTS; /* not known: the first message asks */
    card->arrived = card->taken;
    return result ? result : (int)queue->queue;
}

static int has_queue(const ts_card_t *card) { return ts_has_queue(card, TURNSTILE_QUEUE_BASIC); }

static int make(ts_card_t *card, int to, unsigned tag, const void *data, unsigned bytes)
{
    struct slot slot = {.head = (uint32_t)to | bytes << 16 | tag << 26};
    int result = ts_legal(to, tag);

    if (result) return result;
    if (bytes > TS_BASIC_BYTES) return ts_says(TS_ERROR_ARGUMENT, "a Basic message of %u bytes: the legal range is 0..%d", bytes, TS_BASIC_BYTES);
    if (card->made - card->sent == SLOTS) {
        result = pointer(card, AP_BASIC_TX_SENT, &card->sent);
        if (result) return result;
        if (card->made - card->sent > SLOTS) return ts_silent(card);
    }
    if (card->made - card->sent == SLOTS)
        return ts_says(TS_ERROR_FULL, "%s: transmit ring %u has %d messages that have not left: launch them, or try again", card->device, card->basic.queue, SLOTS);
    if (bytes) memcpy(slot.payload, data, bytes);
    result = ts_store_to(card, card->basic.ring_offset + card->made % SLOTS * SLOT, &slot, HEAD + bytes);
    card->made += !result;
    return result;
}

/* A pointer does not wait for the slots before it: a load between does. */
static int launch(ts_card_t *card)
{
    uint32_t fence;
    int result = 0;

    if (card->launched == card->made) return 0;
    result = load_ring(card, 0, &fence, sizeof fence);
    if (!result) result = set_pointer(card, AP_BASIC_TX_PRODUCER, card->made);
    if (!result) card->launched = card->made;
    return result;
}

int ts_basic_make(ts_card_t *card, int to, unsigned tag, const void *data, unsigned bytes)
{
    int result = has_queue(card);

    if (result) return result;
    pthread_mutex_lock(&card->rings);
    result = make(card, to, tag, data, bytes);
    pthread_mutex_unlock(&card->rings);
    return result;
}

int ts_basic_launch(ts_card_t *card)
{
    int result = has_queue(card);

    if (result) return result;
    pthread_mutex_lock(&card->rings);
    result = launch(card);
    pthread_mutex_unlock(&card->rings);
    return result;
}

int ts_basic_send(ts_card_t *card, int to, unsigned tag, const void *data, unsigned bytes)
{
    int result = has_queue(card);

    if (result) return result;
    pthread_mutex_lock(&card->rings);
    result = make(card, to, tag, data, bytes);
    if (!result) result = launch(card);
    pthread_mutex_unlock(&card->rings);
    return result;
}

static int take(ts_card_t *card, ts_basic_message_t *message)
{
    const uint64_t at = AP_PAGE_BYTES + card->taken % RECEIVED * SLOT;
    uint32_t head;
    int result = 0;

    if (card->arrived == card->taken) {
        result = pointer(card, AP_BASIC_RX_PRODUCER, &card->arrived);
        if (result) return result;
        if (card->arrived - card->taken > RECEIVED) return ts_silent(card);
    }
    if (card->arrived == card->taken) return 0;
    result = load_ring(card, at, &head, sizeof head);
    if (result) return result;
    *message = (ts_basic_message_t){.from = head & 511, .tag = head >> 26 & 31, .bytes = head >> 16 & 127};
    if (message->bytes > TS_BASIC_BYTES) message->bytes = TS_BASIC_BYTES;
    result = load_ring(card, at + HEAD, message->payload, message->bytes);
    if (result) return result;
    result = set_pointer(card, AP_BASIC_RX_CONSUMER, card->taken + 1);
    card->taken += !result;
    return result ? result : 1;
}

int ts_basic_poll(ts_card_t *card, ts_basic_message_t *message)
{
    int result = has_queue(card);

    if (result) return result;
    pthread_mutex_lock(&card->rings);
    result = take(card, message);
    pthread_mutex_unlock(&card->rings);
    return result;
}

static int poll_once(ts_card_t *card, void *message) { return ts_basic_poll(card, message); }

int ts_basic_receive(ts_card_t *card, ts_basic_message_t *message, int milliseconds)
{
    return ts_take_within(card, TURNSTILE_QUEUE_BASIC, poll_once, message, milliseconds, 0);
}

int ts_basic_wait(ts_card_t *card, ts_basic_message_t *message, int milliseconds)
{
    return ts_take_within(card, TURNSTILE_QUEUE_BASIC, poll_once, message, milliseconds, 1);
}

int ts_basic_refused(ts_card_t *card, const char **why)
{
    static const char *const causes[8] = {
        "something", "a TX_PRODUCER that goes back or past its ring", "an RX_CONSUMER that goes back or past what has come", "a slot with a wrong length, lines or address",
        "a message to a name that is nobody's", "a received message, lost because the ring stayed full", "something", "something",
    };
    uint32_t status, before;
    int result = has_queue(card);

    if (!result) result = pointer(card, AP_BASIC_STATUS, &status);
    if (result) return result;
    pthread_mutex_lock(&card->rings);
    before = card->refused;
    card->refused = status;
    pthread_mutex_unlock(&card->rings);
    *why = status == before ? NULL : causes[status >> AP_BASIC_STATUS_CAUSE_SHIFT & AP_BASIC_STATUS_CAUSE_MASK];
    return (status - before) >> AP_BASIC_STATUS_COUNT_SHIFT & AP_BASIC_STATUS_COUNT_MASK;
}
