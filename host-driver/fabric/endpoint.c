/* SPDX-License-Identifier: Apache-2.0 */
/* An endpoint: one open file of the card with its Basic queue, from fi_enable until fi_close. */
#include "provider.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <time.h>

enum { BASIC_QUEUES_BEGIN = 8, LINGER = 5000, OWN_MESSAGE = 5000 }; /* ms */

static void pause_a_little(void)
{
    const struct timespec little = {.tv_nsec = 200000};

    nanosleep(&little, NULL);
}

/* A host does not know its site: a message to the name that it thinks it has must come. */
static int find_oneself(struct endpoint *endpoint)
{
    const int64_t end = now() + OWN_MESSAGE;
    const struct segment own = {.kind = SEGMENT_ACK, .to = endpoint->address.epoch, .from = endpoint->address.epoch};
    int result = ts_basic_send(endpoint->card, endpoint->address.name, 0, &own, sizeof own);
    ts_basic_message_t came;

    while (result >= 0 && now() < end) {
        result = ts_basic_poll(endpoint->card, &came);
        if (result > 0 && came.from == endpoint->address.name && came.bytes == sizeof own && !memcmp(came.payload, &own, sizeof own)) return 0;
    }
    if (result < 0) SAY(FI_LOG_WARN, "%s\n", ts_strerror(result));
    else SAY(FI_LOG_WARN, "a message to itself, site %d, does not come: is the card site %d (FI_TURNSTILE_SITE)?\n", endpoint->domain->site, endpoint->domain->site);
    return -FI_EADDRNOTAVAIL;
}

/* It tells owners of a queue apart and is no secret: not worth to wait for a kernel that has just begun. */
static int draw_epoch(struct endpoint *endpoint)
{
    while (!endpoint->address.epoch)
        if (getrandom(&endpoint->address.epoch, sizeof endpoint->address.epoch, GRND_INSECURE) < 0) return -errno;
    return 0;
}

static int wake(struct endpoint *endpoint, struct completions *cq)
{
    struct epoll_event told = {.events = EPOLLIN};

    if (!cq || cq->wait < 0 || !epoll_ctl(cq->wait, EPOLL_CTL_ADD, ts_file(endpoint->card), &told) || errno == EEXIST) return 0;
    return -errno;
}

static int enable(struct endpoint *endpoint)
{
    int queue, result;

    if (endpoint->card) return -FI_EOPBADSTATE;
    if (!endpoint->av) return -FI_ENOAV;
    if (!endpoint->tx || !endpoint->rx) return -FI_ENOCQ;
    queue = ts_open(endpoint->domain->device, &endpoint->card);
    if (!queue) queue = ts_basic_open(endpoint->card);
    if (queue < 0) {
        SAY(FI_LOG_WARN, "%s\n", ts_strerror(queue));
        ts_close(endpoint->card);
        endpoint->card = NULL;
        return queue == TS_ERROR_BUSY ? -FI_EBUSY : -FI_ENODEV;
    }
    endpoint->address.name = endpoint->domain->site << 3 | (queue - BASIC_QUEUES_BEGIN);
    result = draw_epoch(endpoint);
    if (!result) result = find_oneself(endpoint);
    if (!result) result = wake(endpoint, endpoint->tx);
    if (!result) result = wake(endpoint, endpoint->rx);
    if (result) {
        ts_close(endpoint->card);
        endpoint->card = NULL;
    }
    return result;
}

static int control(struct fid *fid, int command, void *arg)
{
    struct endpoint *endpoint = container_of(fid, struct endpoint, fid.fid);
    int result;

    (void)arg;
    if (command != FI_ENABLE) return -FI_ENOSYS;
    pthread_mutex_lock(&endpoint->domain->lock);
    result = enable(endpoint);
    pthread_mutex_unlock(&endpoint->domain->lock);
    return result;
}

static int bind_cq(struct endpoint *endpoint, struct completions *cq, uint64_t flags)
{
    if (flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION) || !(flags & (FI_TRANSMIT | FI_RECV))) return -FI_EBADFLAGS;
    if ((flags & FI_TRANSMIT && endpoint->tx) || (flags & FI_RECV && endpoint->rx)) return -FI_EINVAL;
    if (flags & FI_TRANSMIT) {
        endpoint->tx = cq;
        endpoint->tx_selective = flags & FI_SELECTIVE_COMPLETION;
        cq->references++;
    }
    if (flags & FI_RECV) {
        endpoint->rx = cq;
        endpoint->rx_selective = flags & FI_SELECTIVE_COMPLETION;
        cq->references++;
    }
    return 0;
}

static int bind_endpoint(struct fid *fid, struct fid *other, uint64_t flags)
{
    struct endpoint *endpoint = container_of(fid, struct endpoint, fid.fid);

    if (endpoint->card) return -FI_EOPBADSTATE;
    switch (other->fclass) {
    case FI_CLASS_CQ: return bind_cq(endpoint, container_of(other, struct completions, fid.fid), flags);
    case FI_CLASS_EQ: return 0; /* no event of an endpoint without connections ever comes */
    case FI_CLASS_AV:
        if (endpoint->av) return -FI_EINVAL;
        endpoint->av = container_of(other, struct addresses, fid.fid);
        endpoint->av->references++;
        return 0;
    default: return -FI_ENOSYS;
    }
}

/* What was sent goes, if its peer takes it; then peers are told. */
static void leave(struct endpoint *endpoint)
{
    const int64_t end = now() + LINGER;
    struct endpoint *other; /* a peer, perhaps */
    struct peer *peer;

    do {
        LIST_FOREACH(other, &endpoint->domain->endpoints, entry) progress(other);
        if (busy(endpoint)) pause_a_little();
    } while (busy(endpoint) && now() < end);
    LIST_FOREACH(peer, &endpoint->peers, entry) {
        const struct segment farewell = {.to = endpoint->address.epoch, .from = peer->address.epoch};

        if (!peer->dead) reset(endpoint, peer->address.name, &farewell);
    }
    launch(endpoint);
}

static void free_all(struct operations *operations)
{
    while (!TAILQ_EMPTY(operations)) {
        struct operation *operation = TAILQ_FIRST(operations);

        TAILQ_REMOVE(operations, operation, entry);
        free_operation(operation);
    }
}

static void say_refused(const struct endpoint *endpoint)
{
    const struct refused *refused = &endpoint->refused;

    SAY(FI_LOG_INFO, "refused: %lu malformed, %lu stray, %lu faulty, %lu of too many peers, %lu without credit; %lu repeated, %lu after a gap\n", refused->malformed, refused->stray,
        refused->faulty, refused->crowded, refused->beyond, refused->repeated, refused->gap);
}

static int close_endpoint(struct fid *fid)
{
    struct endpoint *endpoint = container_of(fid, struct endpoint, fid.fid);
    struct domain *domain = endpoint->domain;

    pthread_mutex_lock(&domain->lock);
    if (endpoint->card) leave(endpoint);
    while (!LIST_EMPTY(&endpoint->peers)) {
        struct peer *peer = LIST_FIRST(&endpoint->peers);

        fail_peer(peer, REFUSED_CANCELED);
        forget_peer(peer);
    }
    free_all(&endpoint->receives);
    free_all(&endpoint->tagged_receives);
    while (!TAILQ_EMPTY(&endpoint->unexpected)) free_unexpected(endpoint, TAILQ_FIRST(&endpoint->unexpected));
    while (!TAILQ_EMPTY(&endpoint->tagged_unexpected)) free_unexpected(endpoint, TAILQ_FIRST(&endpoint->tagged_unexpected));
    say_refused(endpoint);
    ts_close(endpoint->card);
    LIST_REMOVE(endpoint, entry);
    if (endpoint->av) endpoint->av->references--;
    if (endpoint->tx) endpoint->tx->references--;
    if (endpoint->rx) endpoint->rx->references--;
    domain->references--;
    pthread_mutex_unlock(&domain->lock);
    free(endpoint);
    return 0;
}

static int get_name(fid_t fid, void *to, size_t *bytes)
{
    struct endpoint *endpoint = container_of(fid, struct endpoint, fid.fid);
    const size_t room = *bytes;

    if (!endpoint->card) return -FI_EOPBADSTATE;
    *bytes = sizeof endpoint->address;
    if (room < sizeof endpoint->address) return -FI_ETOOSMALL;
    memcpy(to, &endpoint->address, sizeof endpoint->address);
    return 0;
}

static bool cancel_in(struct operations *operations, const void *context)
{
    struct operation *operation;

    TAILQ_FOREACH(operation, operations, entry) {
        if (operation->context != context) continue;
        TAILQ_REMOVE(operations, operation, entry);
        complete(operation, REFUSED_CANCELED);
        return true;
    }
    return false;
}

/* Receives that no message has found; what was sent cannot be called back. */
static ssize_t cancel(fid_t fid, void *context)
{
    struct endpoint *endpoint = container_of(fid, struct endpoint, fid.fid);
    bool found;

    pthread_mutex_lock(&endpoint->domain->lock);
    found = cancel_in(&endpoint->receives, context) || cancel_in(&endpoint->tagged_receives, context);
    pthread_mutex_unlock(&endpoint->domain->lock);
    return found ? 0 : -FI_ENOENT;
}

static int get_option(fid_t fid, int level, int option, void *to, size_t *bytes)
{
    (void)fid, (void)level, (void)option, (void)to, (void)bytes;
    return -FI_ENOPROTOOPT;
}

static int set_option(fid_t fid, int level, int option, const void *from, size_t bytes)
{
    (void)fid, (void)level, (void)option, (void)from, (void)bytes;
    return -FI_ENOPROTOOPT;
}

static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = close_endpoint, .bind = bind_endpoint, .control = control};
static struct fi_ops_ep ep_ops = {.size = sizeof ep_ops, .cancel = cancel, .getopt = get_option, .setopt = set_option};
static struct fi_ops_cm cm_ops = {.size = sizeof cm_ops, .getname = get_name};

int open_endpoint(struct fid_domain *fid, struct fi_info *info, struct fid_ep **ep, void *context)
{
    struct domain *domain = container_of(fid, struct domain, fid);
    struct endpoint *made;

    if (info->ep_attr && info->ep_attr->type != FI_EP_RDM) return -FI_ENOSYS;
    made = calloc(1, sizeof *made);
    if (!made) return -FI_ENOMEM;
    made->fid = (struct fid_ep){
        .fid = {.fclass = FI_CLASS_EP, .context = context, .ops = &fid_ops},
        .ops = &ep_ops, .cm = &cm_ops, .msg = &message_ops, .tagged = &tagged_ops, .rma = &rma_ops,
    };
    made->domain = domain;
    made->directed = info->caps & FI_DIRECTED_RECV;
    made->tx_flags = info->tx_attr ? info->tx_attr->op_flags : 0;
    made->rx_flags = info->rx_attr ? info->rx_attr->op_flags : 0;
    TAILQ_INIT(&made->receives);
    TAILQ_INIT(&made->tagged_receives);
    TAILQ_INIT(&made->unexpected);
    TAILQ_INIT(&made->tagged_unexpected);
    pthread_mutex_lock(&domain->lock);
    LIST_INSERT_HEAD(&domain->endpoints, made, entry);
    domain->references++;
    pthread_mutex_unlock(&domain->lock);
    *ep = &made->fid;
    return 0;
}
