/* SPDX-License-Identifier: Apache-2.0 */
/* What comes: who sent it, whether it is the next, and what it is. The sender's name is the card's word, all else is the sender's. */
#include "provider.h"
#include <string.h>

enum { FIRST_HOST_QUEUE = 6, ANSWERS = 4 }; /* ANSWERS: to strays, of the 16 slots to send from, each time progress is made */

void drop_incoming(struct peer *peer, enum refusal refusal)
{
    struct operation *receive = peer->receive;
    struct unexpected *buffer = peer->buffer;

    peer->filling = false;
    peer->receive = NULL;
    peer->buffer = NULL;
    peer->region = NULL;
    if (receive && !receive->called) complete(receive, refusal);
    if (buffer) free_unexpected(peer->endpoint, buffer);
}

static unsigned extra_of(const struct peer *peer)
{
    const uint16_t granted = peer->granted - peer->expected;

    return granted > 1 ? granted - 1 : 0;
}

static bool has_room(const struct peer *peer)
{
    const struct completions *rx = peer->endpoint->rx;

    return peer->buffered < BUFFERED && peer->replies < REPLIES && (!rx || rx->told < DEPTH);
}

unsigned grant(struct peer *peer)
{
    unsigned free = EXTRA, most;
    struct peer *other;

    if (peer->heard && has_room(peer)) {
        LIST_FOREACH(other, &peer->endpoint->peers, entry)
            if (other != peer) free -= extra_of(other);
        most = 1 + (peer->want < free ? peer->want : free);
        if (most > (uint16_t)(peer->granted - peer->expected)) peer->granted = peer->expected + most;
    }
    return (uint16_t)(peer->granted - peer->expected);
}

/* The first of a peer, or of one that has the queue after another: what that one left here without a receive counts for the new one, so that none gains by a new epoch. */
static struct peer *met(struct endpoint *endpoint, const struct address *address)
{
    struct peer *made = peer_of(endpoint, address), *other, *next;

    if (!made) return NULL;

    for (other = LIST_FIRST(&endpoint->peers); other; other = next) {
        next = LIST_NEXT(other, entry);
        if (other == made || other->address.name != address->name) continue;
        fail_peer(other, REFUSED_RESET);
        inherit(other, made);
        if (at_of(endpoint->av, &other->address) == FI_ADDR_NOTAVAIL) forget_peer(other);
    }
    return made;
}

static void faulty(struct peer *peer, const struct segment *head)
{
    peer->endpoint->refused.faulty++;
    reset(peer->endpoint, peer->address.name, head);
    fail_peer(peer, REFUSED_FAULTY);
}

static void accept_segment(struct peer *peer, const struct segment *head, const uint8_t *payload, size_t bytes)
{
    const bool first = head->kind == SEGMENT_FIRST;
    const size_t most = first ? FIRST_BYTES : MORE_BYTES;
    size_t left;

    if (first == peer->filling || (first && bytes < sizeof peer->head)) {
        faulty(peer, head);
        return;
    }
    if (first) {
        memcpy(&peer->head, payload, sizeof peer->head);
        payload += sizeof peer->head;
        bytes -= sizeof peer->head;
        peer->arrived = 0;
    }
    left = peer->head.bytes - peer->arrived;
    if (peer->head.bytes > MAX_MESSAGE || bytes != (left < most ? left : most)) {
        faulty(peer, head);
        return;
    }
    peer->expected++;
    peer->want = head->want;
    peer->owes = true;
    if (first) {
        peer->filling = true;
        begin_message(peer);
    }
    if (!peer->dead) message_bytes(peer, payload, bytes);
    peer->arrived += bytes;
    if (!peer->dead && peer->arrived == peer->head.bytes) {
        end_message(peer);
        peer->filling = false;
    }
}

static void numbered(struct peer *peer, const struct segment *head, const uint8_t *payload, size_t bytes)
{
    struct endpoint *endpoint = peer->endpoint;
    const int16_t ahead = (int16_t)(head->number - peer->expected);

    if (ahead) {
        if (ahead < 0) endpoint->refused.repeated++;
        else endpoint->refused.gap++;
        peer->owes = true;
    } else if (peer->granted == peer->expected) {
        endpoint->refused.beyond++;
    } else if (!peer->heard && !has_room(peer)) {
        endpoint->refused.beyond++;
        peer->owes = true; /* a sign of life: it comes again */
    } else if (!peer->heard && endpoint->hearing == PEERS) {
        endpoint->refused.crowded++;
    } else {
        if (!peer->heard) endpoint->hearing++;
        peer->heard = true;
        accept_segment(peer, head, payload, bytes);
    }
}

static void addressed(struct endpoint *endpoint, int name, const struct segment *head, const uint8_t *payload, size_t bytes)
{
    const struct address from = {.name = name, .epoch = head->from};
    const bool speaks = head->kind != SEGMENT_ACK && head->kind != SEGMENT_RESET; /* those are not answered */
    struct peer *peer = head->from ? find_peer(endpoint, &from) : NULL;

    if (!peer && speaks && head->from && head->to == endpoint->address.epoch && !head->number) peer = met(endpoint, &from);
    if (!peer || peer->dead || head->to != endpoint->address.epoch) {
        endpoint->refused.stray++;
        if (speaks && endpoint->answered++ < ANSWERS) reset(endpoint, name, head);
        return;
    }
    if (head->kind == SEGMENT_RESET) {
        fail_peer(peer, REFUSED_RESET);
        return;
    }
    acknowledged(peer, head);
    if (head->kind == SEGMENT_PROBE) peer->owes = true;
    else if (head->kind != SEGMENT_ACK) numbered(peer, head, payload, bytes);
}

void hear(struct endpoint *endpoint, const ts_basic_message_t *segment)
{
    struct segment head;

    if (segment->bytes < sizeof head || (segment->from & 7) < FIRST_HOST_QUEUE) {
        endpoint->refused.malformed++;
        return;
    }
    memcpy(&head, segment->payload, sizeof head);
    if (head.kind < SEGMENT_FIRST || head.kind > SEGMENT_RESET || head.zero) endpoint->refused.malformed++;
    else addressed(endpoint, segment->from, &head, segment->payload + sizeof head, segment->bytes - sizeof head);
}
