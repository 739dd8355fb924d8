/* SPDX-License-Identifier: Apache-2.0 */
/* Express messages: a store to the queue's send window is one, a load of 8 bytes of its page takes one. */
#include "card.h"
#include "niu_regs.h"
#include <unistd.h>

enum { NAMES = 512, TAGS = 32, TAG_OF_THE_RUNTIME = 16, FIRST_NAME = 2, MESSAGE = 1 };

int ts_express_open(ts_card_t *card)
{
    struct turnstile_queue *queue = &card->express;
    int result = ts_get_queue(card, TURNSTILE_QUEUE_EXPRESS, queue);

    if (!result) result = ts_map(card, queue->send_offset, queue->send_bytes, &card->send, "mmap of the send window");
    if (!result) result = ts_map(card, queue->receive_offset, queue->receive_bytes, &card->receive, "mmap of the receive page");
    return result ? result : (int)queue->queue;
}

static int has_queue(const ts_card_t *card) { return ts_has_queue(card, TURNSTILE_QUEUE_EXPRESS); }

int ts_legal(int to, unsigned tag)
{
    if (to < 0 || to >= NAMES || (to & 7) < FIRST_NAME)
        return ts_says(TS_ERROR_ARGUMENT, "a message to name %d: legal are 0..%d of which the last three bits are 2..7 (ts_name_of_ap, ts_name_of_queue)", to, NAMES - 1);
    if (tag >= TAGS || tag == TAG_OF_THE_RUNTIME)
        return ts_says(TS_ERROR_ARGUMENT, "a message with tag %u: legal are 0..%d, but %d, which is the aPs' runtime's", tag, TAGS - 1, TAG_OF_THE_RUNTIME);
    return 0;
}

int ts_express_port(ts_card_t *card, int to, unsigned tag, unsigned priority, ts_express_port_t *port)
{
    uint32_t fields;
    int result = has_queue(card);

    if (result) return result;
    result = ts_legal(to, tag);
    if (result) return result;
    if (priority > 1) return ts_says(TS_ERROR_ARGUMENT, "an Express message of priority %u: legal are 0 and 1", priority);
    fields = EXPRESS_TX_DEST(to) | EXPRESS_TX_TAG(tag) | EXPRESS_TX_PRIO(priority);
    *port = (ts_express_port_t){card->send ? (volatile uint32_t *)(card->send + fields) : NULL, card, card->express.send_offset + fields};
    return 0;
}

int ts_express_store_by_call(const ts_express_port_t *port, uint32_t word)
{
    int result = ts_owned(port->card);

    if (!result && pwrite(port->card->file, &word, sizeof word, port->offset) != sizeof word) result = ts_says_errno(port->card, "pwrite of a message");
    return result;
}

/* HOST_EXPRESS_*: room, and what was lost. */
static int look(ts_card_t *card, uint32_t *status)
{
    if (card->send) *status = *(volatile uint32_t *)card->send;
    else if (pread(card->file, status, sizeof *status, card->express.send_offset) != sizeof *status) return ts_says_errno(card, "pread of the room");
    return *status == UINT32_MAX ? ts_silent(card) : 0;
}

int ts_express_send(ts_card_t *card, int to, unsigned tag, unsigned priority, uint32_t word)
{
    ts_express_port_t port;
    uint32_t status = 0;
    int result = ts_express_port(card, to, tag, priority, &port);

    if (result) return result;
    pthread_mutex_lock(&card->sending);
    result = look(card, &status);
    if (!result) {
        if (status & (priority ? HOST_EXPRESS_ROOM_HIGH(1) : HOST_EXPRESS_ROOM_LOW(1))) result = ts_express_store(&port, word);
        else result = ts_says(TS_ERROR_FULL, "%s: transmit queue %u has no room for a message of priority %u: try again", card->device, card->express.queue, priority);
    }
    pthread_mutex_unlock(&card->sending);
    return result;
}

int ts_express_lost(ts_card_t *card)
{
    uint32_t status = 0;
    int result = has_queue(card);

    if (!result) result = look(card, &status);
    return result ? result : (int)(status >> HOST_EXPRESS_LOST_SHIFT & HOST_EXPRESS_LOST_MASK);
}

static uint32_t field(uint32_t meta, uint32_t shift, uint32_t mask) { return meta >> shift & mask; }

int ts_express_poll(ts_card_t *card, ts_express_t *message)
{
    uint64_t both;
    uint32_t meta;
    int result = has_queue(card);

    if (result) return result;
    if (card->receive) both = *(volatile uint64_t *)card->receive;
    else if (pread(card->file, &both, sizeof both, card->express.receive_offset) != sizeof both) return ts_says_errno(card, "pread of a message");
    if (both == UINT64_MAX) return ts_silent(card);
    meta = both >> 32;
    if (field(meta, EXPRESS_META_TYPE_SHIFT, EXPRESS_META_TYPE_MASK) != MESSAGE) return 0;
    *message = (ts_express_t){
        .word = (uint32_t)both,
        .from = field(meta, EXPRESS_META_SOURCE_SHIFT, EXPRESS_META_SOURCE_MASK),
        .tag = field(meta, EXPRESS_META_TAG_SHIFT, EXPRESS_META_TAG_MASK),
        .priority = field(meta, EXPRESS_META_PRIO_SHIFT, EXPRESS_META_PRIO_MASK),
    };
    return 1;
}

static int take(ts_card_t *card, void *message) { return ts_express_poll(card, message); }

int ts_express_receive(ts_card_t *card, ts_express_t *message, int milliseconds)
{
    return ts_take_within(card, TURNSTILE_QUEUE_EXPRESS, take, message, milliseconds, 0);
}

int ts_express_wait(ts_card_t *card, ts_express_t *message, int milliseconds)
{
    return ts_take_within(card, TURNSTILE_QUEUE_EXPRESS, take, message, milliseconds, 1);
}
