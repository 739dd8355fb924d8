/* SPDX-License-Identifier: Apache-2.0 */
/* A message and a receive find each other, in the order in which each came; what finds none is kept, BUFFERED bytes of a peer. */
#include "provider.h"
#include <stdlib.h>
#include <string.h>

static bool fits(const struct operation *receive, const struct message *head, const struct address *from, const struct addresses *av)
{
    const struct address *wanted;

    if (receive->head.operation != head->operation || ((receive->head.tag ^ head->tag) & ~receive->ignore)) return false;
    if (receive->source == FI_ADDR_UNSPEC) return true;
    wanted = address_of(av, receive->source);
    return wanted && wanted->name == from->name && wanted->epoch == from->epoch;
}

static void describe(struct operation *receive, const struct message *head, fi_addr_t source)
{
    const bool data = head->flags & WITH_DATA;

    receive->flags = FI_RECV | (head->operation == OPERATION_TAGGED ? FI_TAGGED : FI_MSG) | (data ? FI_REMOTE_CQ_DATA : 0);
    receive->head = *head;
    if (!data) receive->head.data = 0;
    receive->arrived = head->bytes;
    receive->source = source;
}

void free_unexpected(struct endpoint *endpoint, struct unexpected *message)
{
    if (message->peer) {
        message->peer->buffered -= message->counted;
        if (message->peer->buffer == message) message->peer->buffer = NULL;
    }
    TAILQ_REMOVE(message->head.operation == OPERATION_TAGGED ? &endpoint->tagged_unexpected : &endpoint->unexpected, message, entry);
    free(message->bytes);
    free(message);
}

static void count(struct unexpected *message, size_t bytes)
{
    message->counted += bytes;
    message->peer->buffered += bytes;
}

static void begin_arrival(struct peer *peer)
{
    struct endpoint *endpoint = peer->endpoint;
    const bool tagged = peer->head.operation == OPERATION_TAGGED;
    struct operations *receives = tagged ? &endpoint->tagged_receives : &endpoint->receives;
    struct operation *receive;
    struct unexpected *message;

    if (!tagged) peer->head.tag = 0;
    TAILQ_FOREACH(receive, receives, entry) {
        if (!fits(receive, &peer->head, &peer->address, endpoint->av)) continue;
        TAILQ_REMOVE(receives, receive, entry);
        describe(receive, &peer->head, at_of(endpoint->av, &peer->address));
        receive->peer = peer;
        peer->receive = receive;
        return;
    }
    message = calloc(1, sizeof *message);
    if (!message) {
        fail_peer(peer, REFUSED_FAULTY);
        return;
    }
    message->peer = peer;
    message->head = peer->head;
    message->from = peer->address;
    TAILQ_INSERT_TAIL(tagged ? &endpoint->tagged_unexpected : &endpoint->unexpected, message, entry);
    peer->buffer = message;
    count(message, MESSAGE_COSTS);
}

/* Answers come in any order, but only to what was asked of this peer and has reached it: else a hostile one could end what is still on its way. */
static void begin_reply(struct peer *peer)
{
    struct endpoint *endpoint = peer->endpoint;
    struct operation *call = peer->head.call < CALLS ? endpoint->calls[peer->head.call] : NULL;
    const bool read = call && call->head.operation == OPERATION_READ;
    const size_t bytes = read && !peer->head.flags ? call->room : 0;

    if (!call || call->peer != peer || !call->begun || call->done < call->head.bytes || (int16_t)(call->last - peer->acked) >= 0 ||
        peer->head.bytes != bytes || peer->head.flags >= REFUSALS) {
        endpoint->refused.faulty++;
        fail_peer(peer, REFUSED_FAULTY);
        return;
    }
    peer->receive = call;
}

void begin_message(struct peer *peer)
{
    switch (peer->head.operation) {
    case OPERATION_MESSAGE:
    case OPERATION_TAGGED: begin_arrival(peer); break;
    case OPERATION_WRITE: peer->region = region_of(peer->endpoint->domain, &peer->head, peer->head.bytes, FI_REMOTE_WRITE, &peer->refusal); break;
    case OPERATION_READ: peer->refusal = peer->head.bytes ? REFUSED_FAULTY : REFUSED_NOT; break;
    case OPERATION_REPLY: begin_reply(peer); break;
    default:
        peer->endpoint->refused.faulty++;
        fail_peer(peer, REFUSED_FAULTY);
    }
}

/* Room follows what has come, not what its sender says will come. */
static bool keep(struct unexpected *message, const uint8_t *from, size_t bytes)
{
    if (message->arrived + bytes > message->room) {
        const size_t twice = message->room ? 2 * message->room : MORE_BYTES, room = twice < message->head.bytes ? twice : message->head.bytes;
        uint8_t *larger = realloc(message->bytes, room < message->arrived + bytes ? message->arrived + bytes : room);

        if (!larger) return false;
        message->bytes = larger;
        message->room = room < message->arrived + bytes ? message->arrived + bytes : room;
    }
    memcpy(message->bytes + message->arrived, from, bytes);
    message->arrived += bytes;
    count(message, bytes);
    return true;
}

void message_bytes(struct peer *peer, const uint8_t *from, size_t bytes)
{
    if (!bytes) return;
    if (peer->receive) scatter(peer->receive, peer->arrived, from, bytes);
    else if (peer->region) memcpy(peer->region->base + peer->head.tag + peer->arrived, from, bytes);
    else if (peer->buffer && !keep(peer->buffer, from, bytes)) fail_peer(peer, REFUSED_FAULTY);
}

static void reply(struct peer *peer, struct region *region, enum refusal refusal)
{
    const bool reads = region && peer->head.operation == OPERATION_READ;
    const struct iovec iov = {reads ? region->base + peer->head.tag : NULL, reads ? peer->head.data : 0};
    struct operation *answer = make_operation(NULL, &iov, 1);

    if (!answer) {
        fail_peer(peer, REFUSED_FAULTY);
        return;
    }
    answer->head = (struct message){.bytes = answer->room, .operation = OPERATION_REPLY, .flags = refusal, .call = peer->head.call};
    answer->region = reads ? region : NULL;
    answer->counted = &peer->replies;
    peer->replies++;
    queue_send(peer, answer);
}

/* The data of a write is a completion that nobody posted: until it is read it counts, and windows close when there are DEPTH. */
static void tell_of_write(struct peer *peer)
{
    struct completions *tells = peer->endpoint->rx;
    struct operation *told = tells ? make_operation(NULL, NULL, 0) : NULL;

    if (!told) return;
    told->flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA;
    told->head.data = peer->head.data;
    told->arrived = told->room = peer->head.bytes;
    told->source = at_of(peer->endpoint->av, &peer->address);
    told->tells = tells;
    tells->told++;
    complete(told, REFUSED_NOT);
}

static void end_read(struct peer *peer)
{
    struct region *region = NULL;

    if (!peer->refusal && peer->head.data <= MAX_MESSAGE) region = region_of(peer->endpoint->domain, &peer->head, peer->head.data, FI_REMOTE_READ, &peer->refusal);
    else if (!peer->refusal) peer->refusal = REFUSED_RANGE;
    reply(peer, region, peer->refusal);
}

void end_message(struct peer *peer)
{
    struct operation *receive = peer->receive;

    peer->receive = NULL;
    peer->buffer = NULL;
    switch (peer->head.operation) {
    case OPERATION_WRITE:
        reply(peer, NULL, peer->refusal);
        if (!peer->refusal && peer->head.flags & WITH_DATA) tell_of_write(peer);
        peer->region = NULL;
        break;
    case OPERATION_READ: end_read(peer); break;
    case OPERATION_REPLY:
        peer->endpoint->calls[peer->head.call] = NULL;
        peer->calls--;
        complete(receive, peer->head.flags);
        break;
    default:
        if (receive) complete(receive, receive->arrived > receive->room ? REFUSED_CUT : REFUSED_NOT);
    }
}

/* Peeking: what is there is told, and may be kept for the caller, or thrown away. */
static void peek(struct endpoint *endpoint, struct operation *receive, struct unexpected *message)
{
    const uint64_t flags = receive->flags;

    receive->room = 0;
    if (!message) {
        complete(receive, REFUSED_NO_MESSAGE);
        return;
    }
    describe(receive, &message->head, message->source);
    receive->room = message->head.bytes; /* so that it says the length */
    if (flags & FI_CLAIM) message->claimed = receive->context;
    else if (flags & FI_DISCARD) free_unexpected(endpoint, message);
    complete(receive, REFUSED_NOT);
}

static void receive_kept(struct endpoint *endpoint, struct operation *receive, struct unexpected *message)
{
    struct peer *peer = message->peer;
    const bool whole = message->arrived == message->head.bytes;

    describe(receive, &message->head, message->source);
    scatter(receive, 0, message->bytes, message->arrived);
    if (!whole) {
        receive->peer = peer;
        peer->receive = receive;
    }
    free_unexpected(endpoint, message);
    if (whole) complete(receive, receive->arrived > receive->room ? REFUSED_CUT : REFUSED_NOT);
}

int post_receive(struct endpoint *endpoint, struct operation *receive)
{
    const bool tagged = receive->head.operation == OPERATION_TAGGED, claims = receive->flags & FI_CLAIM && !(receive->flags & FI_PEEK);
    struct unexpecteds *list = tagged ? &endpoint->tagged_unexpected : &endpoint->unexpected;
    struct unexpected *message;

    TAILQ_FOREACH(message, list, entry) {
        if (claims ? message->claimed == receive->context && receive->context : !message->claimed && fits(receive, &message->head, &message->from, endpoint->av)) break;
    }
    if (message) message->source = at_of(endpoint->av, &message->from);
    if (claims && !message) return -FI_EINVAL;
    if (claims && receive->flags & FI_DISCARD) {
        describe(receive, &message->head, message->source);
        free_unexpected(endpoint, message);
        receive->room = receive->arrived = 0;
        complete(receive, REFUSED_NOT);
    } else if (receive->flags & FI_PEEK) {
        peek(endpoint, receive, message);
    } else if (message) {
        receive_kept(endpoint, receive, message);
    } else {
        TAILQ_INSERT_TAIL(tagged ? &endpoint->tagged_receives : &endpoint->receives, receive, entry);
    }
    return 0;
}
