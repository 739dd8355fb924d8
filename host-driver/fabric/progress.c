/* SPDX-License-Identifier: Apache-2.0 */
/* Progress is made by who calls: it hears what came, then lets go what may. */
#include "provider.h"

enum { AT_ONCE = 64 }; /* slots of a receive ring */

void broke(struct endpoint *endpoint, int result)
{
    if (!endpoint->broken) SAY(FI_LOG_WARN, "%s\n", ts_strerror(result));
    endpoint->broken = FI_ENODEV;
}

void launch(struct endpoint *endpoint)
{
    int result = endpoint->to_launch && !endpoint->broken ? ts_basic_launch(endpoint->card) : 0;

    if (result) broke(endpoint, result);
    endpoint->to_launch = false;
}

static void end_receives(struct operations *receives)
{
    while (!TAILQ_EMPTY(receives)) {
        struct operation *receive = TAILQ_FIRST(receives);

        TAILQ_REMOVE(receives, receive, entry);
        complete(receive, REFUSED_CARD);
    }
}

static void end_everything(struct endpoint *endpoint)
{
    struct peer *peer;

    LIST_FOREACH(peer, &endpoint->peers, entry) fail_peer(peer, REFUSED_CARD);
    end_receives(&endpoint->receives);
    end_receives(&endpoint->tagged_receives);
}

/* At once: who has its message may make no more progress, and the sender would wait for ever. A window that was closed opens. */
static void answer(struct peer *peer)
{
    if (peer->dead) return;
    if (peer->heard && peer->granted == peer->expected && grant(peer)) peer->owes = true;
    if (peer->owes) acknowledge(peer);
}

void progress(struct endpoint *endpoint)
{
    const int64_t time = now();
    ts_basic_message_t segment;
    struct peer *peer;
    bool went;

    if (!endpoint->card) return;
    endpoint->answered = 0;
    for (int i = 0; i < AT_ONCE && !endpoint->broken; i++) {
        int result = ts_basic_poll(endpoint->card, &segment);

        if (result < 0) broke(endpoint, result);
        if (result <= 0) break;
        hear(endpoint, &segment);
    }
    do {
        went = false;
        LIST_FOREACH(peer, &endpoint->peers, entry) went |= pump(peer);
    } while (went);
    LIST_FOREACH(peer, &endpoint->peers, entry) {
        answer(peer);
        tend(peer, time);
    }
    launch(endpoint);
    if (endpoint->broken) end_everything(endpoint);
}

bool busy(const struct endpoint *endpoint)
{
    const struct peer *peer;

    LIST_FOREACH(peer, &endpoint->peers, entry)
        if (!peer->dead && (peer->owes || peer->flying || peer->calls || !TAILQ_EMPTY(&peer->sends))) return true;
    return false;
}
