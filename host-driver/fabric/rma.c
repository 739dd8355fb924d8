/* SPDX-License-Identifier: Apache-2.0 */
/* FI_RMA: writes and reads are messages to the peer's provider, which answers when it has done them. */
#include "provider.h"

struct range {
    uint64_t at, key, data;
    uint8_t flags; /* of struct message */
};

static int free_call(const struct endpoint *endpoint)
{
    int call = 0;

    while (call < CALLS && endpoint->calls[call]) call++;
    return call;
}

static ssize_t call_it(struct fid_ep *ep, enum operation_kind kind, const struct iovec *iov, size_t iovs, fi_addr_t to, struct range range, void *context, uint64_t flags, bool silent)
{
    struct endpoint *endpoint = endpoint_of(ep);
    struct operation *operation = iovs <= IOVS ? make_operation(context, iov, iovs) : NULL;
    ssize_t result;

    if (!operation) return iovs <= IOVS ? -FI_ENOMEM : -FI_EINVAL;
    operation->head = (struct message){.operation = kind, .flags = range.flags, .tag = range.at, .key = range.key};
    operation->head.bytes = kind == OPERATION_WRITE ? operation->room : 0;
    operation->head.data = kind == OPERATION_WRITE ? range.data : operation->room;
    operation->flags = FI_RMA | (kind == OPERATION_WRITE ? FI_WRITE : FI_READ);
    operation->called = true;
    pthread_mutex_lock(&endpoint->domain->lock);
    operation->head.call = free_call(endpoint);
    result = operation->head.call < CALLS ? start(endpoint, operation, to, flags, silent) : -FI_EAGAIN;
    pthread_mutex_unlock(&endpoint->domain->lock);
    if (result) free_operation(operation);
    return result;
}

static ssize_t rma_message(struct fid_ep *ep, enum operation_kind kind, const struct fi_msg_rma *msg, uint64_t flags)
{
    size_t bytes = 0;

    for (size_t i = 0; i < msg->iov_count; i++) bytes += msg->msg_iov[i].iov_len;
    if (msg->rma_iov_count != 1 || msg->rma_iov->len != bytes) return -FI_EINVAL;
    return call_it(ep, kind, msg->msg_iov, msg->iov_count, msg->addr,
                   (struct range){msg->rma_iov->addr, msg->rma_iov->key, msg->data, flags & FI_REMOTE_CQ_DATA ? WITH_DATA : 0}, msg->context, flags, false);
}

static ssize_t rma_read(struct fid_ep *ep, void *buffer, size_t bytes, void *desc, fi_addr_t from, uint64_t at, uint64_t key, void *context)
{
    const struct iovec iov = {buffer, bytes};

    (void)desc;
    return call_it(ep, OPERATION_READ, &iov, 1, from, (struct range){at, key, 0, 0}, context, endpoint_of(ep)->tx_flags & ~FI_INJECT, false);
}

static ssize_t rma_readv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t from, uint64_t at, uint64_t key, void *context)
{
    (void)desc;
    return call_it(ep, OPERATION_READ, iov, count, from, (struct range){at, key, 0, 0}, context, endpoint_of(ep)->tx_flags & ~FI_INJECT, false);
}

static ssize_t rma_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags) { return rma_message(ep, OPERATION_READ, msg, flags & ~(FI_INJECT | FI_REMOTE_CQ_DATA)); }

static ssize_t rma_write(struct fid_ep *ep, const void *buffer, size_t bytes, void *desc, fi_addr_t to, uint64_t at, uint64_t key, void *context)
{
    const struct iovec iov = {(void *)buffer, bytes};

    (void)desc;
    return call_it(ep, OPERATION_WRITE, &iov, 1, to, (struct range){at, key, 0, 0}, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t rma_writev(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t to, uint64_t at, uint64_t key, void *context)
{
    (void)desc;
    return call_it(ep, OPERATION_WRITE, iov, count, to, (struct range){at, key, 0, 0}, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t rma_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags) { return rma_message(ep, OPERATION_WRITE, msg, flags); }

static ssize_t rma_inject(struct fid_ep *ep, const void *buffer, size_t bytes, fi_addr_t to, uint64_t at, uint64_t key)
{
    const struct iovec iov = {(void *)buffer, bytes};

    return call_it(ep, OPERATION_WRITE, &iov, 1, to, (struct range){at, key, 0, 0}, NULL, FI_INJECT, true);
}

static ssize_t rma_writedata(struct fid_ep *ep, const void *buffer, size_t bytes, void *desc, uint64_t data, fi_addr_t to, uint64_t at, uint64_t key, void *context)
{
    const struct iovec iov = {(void *)buffer, bytes};

    (void)desc;
    return call_it(ep, OPERATION_WRITE, &iov, 1, to, (struct range){at, key, data, WITH_DATA}, context, endpoint_of(ep)->tx_flags, false);
}

static ssize_t rma_injectdata(struct fid_ep *ep, const void *buffer, size_t bytes, uint64_t data, fi_addr_t to, uint64_t at, uint64_t key)
{
    const struct iovec iov = {(void *)buffer, bytes};

    return call_it(ep, OPERATION_WRITE, &iov, 1, to, (struct range){at, key, data, WITH_DATA}, NULL, FI_INJECT, true);
}

struct fi_ops_rma rma_ops = {
    .size = sizeof rma_ops, .read = rma_read, .readv = rma_readv, .readmsg = rma_readmsg, .write = rma_write, .writev = rma_writev, .writemsg = rma_writemsg,
    .inject = rma_inject, .writedata = rma_writedata, .injectdata = rma_injectdata,
};
