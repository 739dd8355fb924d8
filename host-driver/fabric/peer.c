/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to a peer: segments in order, as many as it takes, each kept until it is acknowledged. */
#include "provider.h"
#include <stdlib.h>
#include <string.h>

enum { SLOWEST = 8 }; /* times the first interval: who makes no progress has few repetitions in its ring, who is flooded gets one soon */

struct peer *find_peer(struct endpoint *endpoint, const struct address *address)
{
    struct peer *peer;

    LIST_FOREACH(peer, &endpoint->peers, entry)
        if (peer->address.name == address->name && peer->address.epoch == address->epoch) return peer;
    return NULL;
}

struct peer *peer_of(struct endpoint *endpoint, const struct address *address)
{
    struct peer *peer = find_peer(endpoint, address);

    if (peer) return peer;
    peer = calloc(1, sizeof *peer);
    if (!peer) return NULL;
    peer->endpoint = endpoint;
    peer->address = *address;
    peer->limit = peer->granted = 1;
    peer->repeat_after = endpoint->domain->repeat;
    TAILQ_INIT(&peer->sends);
    TAILQ_INIT(&peer->sent);
    TAILQ_INIT(&peer->flights);
    LIST_INSERT_HEAD(&endpoint->peers, peer, entry);
    return peer;
}

static bool owed(const struct peer *peer) { return !TAILQ_EMPTY(&peer->sends) || peer->flying || peer->calls; }

static void wait_anew(struct peer *peer, int64_t time)
{
    peer->since = time;
    peer->repeat_after = peer->endpoint->domain->repeat;
    peer->repeat_at = time + peer->repeat_after;
}

/* What flies to a peer that is silent takes nobody else's place. */
static void set_repeated(struct peer *peer, bool repeated)
{
    if (repeated == peer->repeated) return;
    peer->repeated = repeated;
    if (repeated) peer->endpoint->in_flight -= peer->flying;
    else peer->endpoint->in_flight += peer->flying;
}

static void landed(struct peer *peer)
{
    struct flight *flight = TAILQ_FIRST(&peer->flights);

    TAILQ_REMOVE(&peer->flights, flight, entry);
    free(flight);
    peer->flying--;
    if (!peer->repeated) peer->endpoint->in_flight--;
}

static void end_all(struct operations *operations, enum refusal refusal)
{
    while (!TAILQ_EMPTY(operations)) {
        struct operation *operation = TAILQ_FIRST(operations);

        TAILQ_REMOVE(operations, operation, entry);
        if (!operation->called) complete(operation, refusal);
    }
}

void fail_peer(struct peer *peer, enum refusal refusal)
{
    struct endpoint *endpoint = peer->endpoint;

    if (peer->dead) return;
    SAY(FI_LOG_INFO, "peer %u/%u/%08x is given up: reason %d\n", peer->address.name >> 3, peer->address.name & 7, peer->address.epoch, refusal);
    peer->dead = refusal;
    end_all(&peer->sends, refusal);
    end_all(&peer->sent, refusal);
    drop_incoming(peer, refusal);
    for (unsigned i = 0; i < CALLS; i++) {
        struct operation *call = endpoint->calls[i];

        if (!call || call->peer != peer) continue;
        endpoint->calls[i] = NULL;
        complete(call, refusal);
    }
    peer->calls = 0;
    while (peer->flying) landed(peer);
    if (peer->heard) endpoint->hearing--;
    peer->heard = false;
}

void inherit(struct peer *from, struct peer *to)
{
    struct unexpecteds *lists[] = {&from->endpoint->unexpected, &from->endpoint->tagged_unexpected};
    struct unexpected *message;

    for (int i = 0; i < 2; i++)
        TAILQ_FOREACH(message, lists[i], entry)
            if (message->peer == from) message->peer = to;
    if (to) to->buffered += from->buffered;
    from->buffered = 0;
}

void forget_peer(struct peer *peer)
{
    inherit(peer, NULL);
    LIST_REMOVE(peer, entry);
    free(peer);
}

/* Whether the ring took it. */
static bool put(struct endpoint *endpoint, int name, const void *segment, unsigned bytes)
{
    int result = endpoint->broken ? TS_ERROR_GONE : ts_basic_make(endpoint->card, name, 0, segment, bytes);

    if (!result) endpoint->to_launch = true;
    else if (result != TS_ERROR_FULL) broke(endpoint, result);
    return !result;
}

static unsigned waiting(const struct peer *peer)
{
    const struct operation *operation;
    size_t segments = 0;

    TAILQ_FOREACH(operation, &peer->sends, entry) {
        const size_t left = operation->head.bytes - operation->done + (operation->begun ? 0 : sizeof(struct message));

        segments += left ? (left + MORE_BYTES - 1) / MORE_BYTES : 1;
        if (segments > UINT8_MAX) return UINT8_MAX;
    }
    return segments;
}

static bool put_for(struct peer *peer, struct segment *head, const void *segment, unsigned bytes)
{
    head->window = grant(peer);
    head->ack = peer->expected;
    if (!put(peer->endpoint, peer->address.name, segment, bytes)) return false;
    peer->owes = false;
    return true;
}

static struct segment head_of(const struct peer *peer, enum segment_kind kind)
{
    return (struct segment){.kind = kind, .to = peer->address.epoch, .from = peer->endpoint->address.epoch, .number = peer->next, .want = waiting(peer)};
}

static bool put_alone(struct peer *peer, enum segment_kind kind)
{
    struct segment head = head_of(peer, kind);

    return put_for(peer, &head, &head, sizeof head);
}

void acknowledge(struct peer *peer) { put_alone(peer, SEGMENT_ACK); }

void reset(struct endpoint *endpoint, int name, const struct segment *head)
{
    const struct segment answer = {.kind = SEGMENT_RESET, .to = head->from, .from = head->to};

    put(endpoint, name, &answer, sizeof answer);
}

void queue_send(struct peer *peer, struct operation *operation)
{
    if (!owed(peer)) wait_anew(peer, now());
    operation->peer = peer;
    TAILQ_INSERT_TAIL(&peer->sends, operation, entry);
}

bool may_go(const struct peer *peer) { return !peer->repeated && peer->endpoint->in_flight < FLIGHTS && (int16_t)(peer->limit - peer->next) > 0; }

bool pump(struct peer *peer)
{
    struct operation *operation = TAILQ_FIRST(&peer->sends);
    struct endpoint *endpoint = peer->endpoint;
    struct flight *flight;
    unsigned used = sizeof(struct segment), bytes;

    if (!operation || !may_go(peer)) return false;
    flight = malloc(sizeof *flight);
    if (!flight) return false; /* tried again */
    flight->head = head_of(peer, operation->begun ? SEGMENT_MORE : SEGMENT_FIRST);
    flight->head.want -= flight->head.want < UINT8_MAX; /* itself */
    if (!operation->begun) {
        memcpy(flight->data + used, &operation->head, sizeof operation->head);
        used += sizeof operation->head;
    }
    bytes = operation->head.bytes - operation->done < TS_BASIC_BYTES - used ? operation->head.bytes - operation->done : TS_BASIC_BYTES - used;
    gather(operation, operation->done, flight->data + used, bytes);
    flight->bytes = used + bytes;
    if (!put_for(peer, &flight->head, flight->data, flight->bytes)) {
        free(flight);
        return false;
    }
    TAILQ_INSERT_TAIL(&peer->flights, flight, entry);
    peer->flying++;
    endpoint->in_flight++;
    operation->last = peer->next++;
    operation->begun = true;
    operation->done += bytes;
    if (operation->done < operation->head.bytes) return true;
    TAILQ_REMOVE(&peer->sends, operation, entry);
    TAILQ_INSERT_TAIL(&peer->sent, operation, entry);
    return true;
}

void acknowledged(struct peer *peer, const struct segment *head)
{
    int16_t more = (int16_t)(head->ack - peer->acked);
    const uint16_t limit = head->ack + (head->window < WINDOW ? head->window : WINDOW);
    struct flight *flight;

    if (more > (int)peer->flying) {
        peer->endpoint->refused.malformed++;
        return;
    }
    peer->since = now();
    if ((int16_t)(limit - peer->limit) > 0) peer->limit = limit;
    if (more <= 0) return;
    wait_anew(peer, peer->since);
    for (; more; more--) landed(peer);
    peer->acked = head->ack;
    while (!TAILQ_EMPTY(&peer->sent)) {
        struct operation *operation = TAILQ_FIRST(&peer->sent);

        if ((int16_t)(operation->last - head->ack) >= 0) break;
        TAILQ_REMOVE(&peer->sent, operation, entry);
        if (!operation->called) complete(operation, REFUSED_NOT);
    }
    if (!peer->repeated) return;
    set_repeated(peer, false);
    TAILQ_FOREACH(flight, &peer->flights, entry) put_for(peer, &flight->head, flight->data, flight->bytes);
}

void tend(struct peer *peer, int64_t time)
{
    struct flight *flight = TAILQ_FIRST(&peer->flights);

    if (peer->dead || !owed(peer)) return;
    if (time - peer->since >= peer->endpoint->domain->patience) {
        fail_peer(peer, REFUSED_SILENT);
        return;
    }
    if (time < peer->repeat_at) return;
    if (peer->repeat_after < SLOWEST * peer->endpoint->domain->repeat) peer->repeat_after *= 2;
    peer->repeat_at = time + peer->repeat_after;
    if (flight) {
        set_repeated(peer, true);
        put_for(peer, &flight->head, flight->data, flight->bytes);
    } else {
        put_alone(peer, SEGMENT_PROBE);
    }
}
