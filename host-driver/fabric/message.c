/* SPDX-License-Identifier: Apache-2.0 */
/* FI_MSG and FI_TAGGED: calls of applications become operations. */
#include "provider.h"

struct endpoint *endpoint_of(struct fid_ep *ep) { return container_of(ep, struct endpoint, fid); }

static ssize_t again(struct endpoint *endpoint)
{
    progress(endpoint);
    return -FI_EAGAIN;
}

/* How a send, read or write is told, and to whom it goes; refused: the application's error. Called with the lock. */
ssize_t start(struct endpoint *endpoint, struct operation *operation, fi_addr_t to, uint64_t flags, bool silent)
{
    const struct address *address = address_of(endpoint->av, to);
    struct peer *peer;

    if (!endpoint->card) return -FI_EOPBADSTATE;
    if (endpoint->broken) return -FI_ENODEV;
    if (!address) return -FI_EINVAL;
    if (operation->room > MAX_MESSAGE) return -FI_EMSGSIZE;
    if (endpoint->sends >= DEPTH) return again(endpoint);
    if (flags & FI_INJECT) {
        int result = operation->room > INJECT ? -FI_EMSGSIZE : operation->taken ? 0 : take_bytes(operation);

        if (result) return result;
    }
    peer = peer_of(endpoint, address);
    if (!peer) return -FI_ENOMEM;
    if (silent && !peer->dead && !(TAILQ_EMPTY(&peer->sends) && may_go(peer))) return again(endpoint);
    operation->counted = &endpoint->sends;
    operation->tells = silent || (endpoint->tx_selective && !(flags & FI_COMPLETION)) ? NULL : endpoint->tx;
    operation->tells_errors = endpoint->tx;
    endpoint->sends++;
    if (peer->dead) {
        complete(operation, peer->dead);
        return 0;
    }
    queue_send(peer, operation);
    if (operation->called) {
        endpoint->calls[operation->head.call] = operation;
        peer->calls++;
    }
    while (pump(peer)) continue;
    launch(endpoint);
    return 0;
}

static ssize_t send_it(struct fid_ep *ep, const struct iovec *iov, size_t iovs, fi_addr_t to, const struct message *head, void *context, uint64_t flags, bool silent)
{
    struct endpoint *endpoint = endpoint_of(ep);
    struct operation *operation = iovs <= IOVS ? make_operation(context, iov, iovs) : NULL;
    ssize_t result;

    if (!operation) return iovs <= IOVS ? -FI_ENOMEM : -FI_EINVAL;
    operation->head = *head;
    operation->head.bytes = operation->room;
    operation->flags = FI_SEND | (head->operation == OPERATION_TAGGED ? FI_TAGGED : FI_MSG);
    pthread_mutex_lock(&endpoint->domain->lock);
    result = start(endpoint, operation, to, flags, silent);
    pthread_mutex_unlock(&endpoint->domain->lock);
    if (result) free_operation(operation);
    return result;
}

static ssize_t receive_it(struct fid_ep *ep, const struct iovec *iov, size_t iovs, fi_addr_t from, enum operation_kind kind, uint64_t tag, uint64_t ignore, void *context, uint64_t flags)
{
    struct endpoint *endpoint = endpoint_of(ep);
    struct operation *operation;
    ssize_t result = 0;

    if (iovs > IOVS) return -FI_EINVAL;
    if (flags & ~(FI_COMPLETION | FI_MORE | FI_PEEK | FI_CLAIM | FI_DISCARD)) return -FI_EBADFLAGS;
    operation = make_operation(context, iov, iovs);
    if (!operation) return -FI_ENOMEM;
    operation->head = (struct message){.operation = kind, .tag = tag};
    operation->ignore = ignore;
    operation->source = endpoint->directed ? from : FI_ADDR_UNSPEC;
    operation->flags = flags;
    pthread_mutex_lock(&endpoint->domain->lock);
    if (!endpoint->card) result = -FI_EOPBADSTATE;
    else if (endpoint->broken) result = -FI_ENODEV;
    else if (endpoint->posted >= DEPTH) result = -FI_EAGAIN;
    if (!result) {
        operation->counted = &endpoint->posted;
        operation->tells = endpoint->rx_selective && !(flags & FI_COMPLETION) ? NULL : endpoint->rx;
        operation->tells_errors = endpoint->rx;
        endpoint->posted++;
        result = post_receive(endpoint, operation);
        if (result) endpoint->posted--;
    }
    pthread_mutex_unlock(&endpoint->domain->lock);
    if (result) free_operation(operation);
    return result;
}

static const struct message plain = {.operation = OPERATION_MESSAGE};

static struct message tagged(uint64_t tag) { return (struct message){.operation = OPERATION_TAGGED, .tag = tag}; }

static struct message with_data(struct message head, uint64_t data)
{
    head.flags = WITH_DATA;
    head.data = data;
    return head;
}

static ssize_t msg_recv(struct fid_ep *ep, void *buffer, size_t bytes, void *desc, fi_addr_t from, void *context)
{
    const struct iovec iov = {buffer, bytes};

    (void)desc;
    return receive_it(ep, &iov, 1, from, OPERATION_MESSAGE, 0, 0, context, endpoint_of(ep)->rx_flags & FI_COMPLETION);
}

static ssize_t msg_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t from, void *context)
{
    (void)desc;
    return receive_it(ep, iov, count, from, OPERATION_MESSAGE, 0, 0, context, endpoint_of(ep)->rx_flags & FI_COMPLETION);
}

static ssize_t msg_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
    return receive_it(ep, msg->msg_iov, msg->iov_count, msg->addr, OPERATION_MESSAGE, 0, 0, msg->context, flags);
}

static ssize_t msg_send(struct fid_ep *ep, const void *buffer, size_t bytes, void *desc, fi_addr_t to, void *context)
{
    const struct iovec iov = {(void *)buffer, bytes};

    (void)desc;
    return send_it(ep, &iov, 1, to, &plain, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t msg_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t to, void *context)
{
    (void)desc;
    return send_it(ep, iov, count, to, &plain, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t msg_sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
    const struct message head = flags & FI_REMOTE_CQ_DATA ? with_data(plain, msg->data) : plain;

    return send_it(ep, msg->msg_iov, msg->iov_count, msg->addr, &head, msg->context, flags, false);
}

static ssize_t msg_inject(struct fid_ep *ep, const void *buffer, size_t bytes, fi_addr_t to)
{
    const struct iovec iov = {(void *)buffer, bytes};

    return send_it(ep, &iov, 1, to, &plain, NULL, FI_INJECT, true);
}

static ssize_t msg_senddata(struct fid_ep *ep, const void *buffer, size_t bytes, void *desc, uint64_t data, fi_addr_t to, void *context)
{
    const struct iovec iov = {(void *)buffer, bytes};
    const struct message head = with_data(plain, data);

    (void)desc;
    return send_it(ep, &iov, 1, to, &head, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t msg_injectdata(struct fid_ep *ep, const void *buffer, size_t bytes, uint64_t data, fi_addr_t to)
{
    const struct iovec iov = {(void *)buffer, bytes};
    const struct message head = with_data(plain, data);

    return send_it(ep, &iov, 1, to, &head, NULL, FI_INJECT, true);
}

struct fi_ops_msg message_ops = {
    .size = sizeof message_ops, .recv = msg_recv, .recvv = msg_recvv, .recvmsg = msg_recvmsg, .send = msg_send, .sendv = msg_sendv, .sendmsg = msg_sendmsg,
    .inject = msg_inject, .senddata = msg_senddata, .injectdata = msg_injectdata,
};

static ssize_t tag_recv(struct fid_ep *ep, void *buffer, size_t bytes, void *desc, fi_addr_t from, uint64_t tag, uint64_t ignore, void *context)
{
    const struct iovec iov = {buffer, bytes};

    (void)desc;
    return receive_it(ep, &iov, 1, from, OPERATION_TAGGED, tag, ignore, context, endpoint_of(ep)->rx_flags & FI_COMPLETION);
}

static ssize_t tag_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore, void *context)
{
    (void)desc;
    return receive_it(ep, iov, count, from, OPERATION_TAGGED, tag, ignore, context, endpoint_of(ep)->rx_flags & FI_COMPLETION);
}

static ssize_t tag_recvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
{
    return receive_it(ep, msg->msg_iov, msg->iov_count, msg->addr, OPERATION_TAGGED, msg->tag, msg->ignore, msg->context, flags);
}

static ssize_t tag_send(struct fid_ep *ep, const void *buffer, size_t bytes, void *desc, fi_addr_t to, uint64_t tag, void *context)
{
    const struct iovec iov = {(void *)buffer, bytes};
    const struct message head = tagged(tag);

    (void)desc;
    return send_it(ep, &iov, 1, to, &head, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t tag_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t to, uint64_t tag, void *context)
{
    const struct message head = tagged(tag);

    (void)desc;
    return send_it(ep, iov, count, to, &head, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t tag_sendmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
{
    const struct message head = flags & FI_REMOTE_CQ_DATA ? with_data(tagged(msg->tag), msg->data) : tagged(msg->tag);

    return send_it(ep, msg->msg_iov, msg->iov_count, msg->addr, &head, msg->context, flags, false);
}

static ssize_t tag_inject(struct fid_ep *ep, const void *buffer, size_t bytes, fi_addr_t to, uint64_t tag)
{
    const struct iovec iov = {(void *)buffer, bytes};
    const struct message head = tagged(tag);

    return send_it(ep, &iov, 1, to, &head, NULL, FI_INJECT, true);
}

static ssize_t tag_senddata(struct fid_ep *ep, const void *buffer, size_t bytes, void *desc, uint64_t data, fi_addr_t to, uint64_t tag, void *context)
{
    const struct iovec iov = {(void *)buffer, bytes};
    const struct message head = with_data(tagged(tag), data);

    (void)desc;
    return send_it(ep, &iov, 1, to, &head, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t tag_injectdata(struct fid_ep *ep, const void *buffer, size_t bytes, uint64_t data, fi_addr_t to, uint64_t tag)
{
    const struct iovec iov = {(void *)buffer, bytes};
    const struct message head = with_data(tagged(tag), data);

    return send_it(ep, &iov, 1, to, &head, NULL, FI_INJECT, true);
}

struct fi_ops_tagged tagged_ops = {
    .size = sizeof tagged_ops, .recv = tag_recv, .recvv = tag_recvv, .recvmsg = tag_recvmsg, .send = tag_send, .sendv = tag_sendv, .sendmsg = tag_sendmsg,
    .inject = tag_inject, .senddata = tag_senddata, .injectdata = tag_injectdata,
};
