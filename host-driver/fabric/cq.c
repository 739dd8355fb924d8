/* SPDX-License-Identifier: Apache-2.0 */
/* Completions: operations that have ended, until they are read. Who reads makes progress. */
#include "provider.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static const struct {
    int error;
    const char *sentence;
} ends[REFUSALS] = {
    [REFUSED_NOT] = {0, "it did not fail"},
    [REFUSED_CUT] = {FI_ETRUNC, "the message is longer than the receive's buffer: its first bytes are there, olen is what is missing"},
    [REFUSED_CANCELED] = {FI_ECANCELED, "it was canceled"},
    [REFUSED_SILENT] = {FI_ETIMEDOUT, "the peer did not answer for FI_TURNSTILE_PATIENCE seconds: it has ended, or makes no progress"},
    [REFUSED_RESET] = {FI_ECONNRESET, "the peer's endpoint is closed, or its queue is another endpoint's now: get the address again"},
    [REFUSED_FAULTY] = {FI_ECONNABORTED, "the peer sent what is not legal, or there was no memory for what it sent: it is not spoken to any more"},
    [REFUSED_KEY] = {FI_EKEYREJECTED, "the key is of no region that allows this, or the region was closed meanwhile"},
    [REFUSED_RANGE] = {FI_EINVAL, "the range is not within the region: an address is an offset from its first byte"},
    [REFUSED_CARD] = {FI_ENODEV, "the card was taken away or failed: close the endpoint; FI_LOG_LEVEL=warn says more"},
    [REFUSED_NO_MESSAGE] = {FI_ENOMSG, "no message that fits has come"},
};

const char *sentence_of(int refusal) { return refusal >= 0 && refusal < REFUSALS ? ends[refusal].sentence : "this is no prov_errno of this provider"; }

static size_t length_of(const struct operation *operation) { return operation->arrived < operation->room ? operation->arrived : operation->room; }

/* A tagged entry; the others are its first fields. */
static struct fi_cq_tagged_entry entry_of(const struct operation *operation)
{
    const bool receive = operation->flags & (FI_RECV | FI_REMOTE_WRITE);

    return (struct fi_cq_tagged_entry){
        .op_context = operation->context,
        .flags = operation->flags & (FI_SEND | FI_RECV | FI_MSG | FI_TAGGED | FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA),
        .len = receive ? length_of(operation) : operation->room,
        .buf = receive && operation->iovs ? operation->iov[0].iov_base : NULL,
        .data = receive ? operation->head.data : 0,
        .tag = receive ? operation->head.tag : 0,
    };
}

static void make_progress(struct completions *cq)
{
    struct endpoint *endpoint;

    LIST_FOREACH(endpoint, &cq->domain->endpoints, entry)
        if (endpoint->tx == cq || endpoint->rx == cq) progress(endpoint);
}

static ssize_t take(struct completions *cq, void *to, size_t count, fi_addr_t *sources)
{
    static const size_t sizes[] = {
        [FI_CQ_FORMAT_UNSPEC] = 0,
        [FI_CQ_FORMAT_CONTEXT] = sizeof(struct fi_cq_entry),
        [FI_CQ_FORMAT_MSG] = sizeof(struct fi_cq_msg_entry),
        [FI_CQ_FORMAT_DATA] = sizeof(struct fi_cq_data_entry),
        [FI_CQ_FORMAT_TAGGED] = sizeof(struct fi_cq_tagged_entry),
    };
    const size_t size = sizes[cq->format];
    size_t taken = 0;

    for (; taken < count && !TAILQ_EMPTY(&cq->done); taken++) {
        struct operation *operation = TAILQ_FIRST(&cq->done);
        struct fi_cq_tagged_entry entry = entry_of(operation);

        if (operation->refusal) return taken ? (ssize_t)taken : -FI_EAVAIL;
        memcpy((uint8_t *)to + taken * size, &entry, size);
        if (sources) sources[taken] = operation->flags & (FI_RECV | FI_REMOTE_WRITE) ? operation->source : FI_ADDR_NOTAVAIL;
        if (operation->flags & FI_REMOTE_WRITE) cq->told--;
        TAILQ_REMOVE(&cq->done, operation, entry);
        free_operation(operation);
    }
    if (!taken && !TAILQ_EMPTY(&cq->done)) return TAILQ_FIRST(&cq->done)->refusal ? -FI_EAVAIL : 0;
    return taken ? (ssize_t)taken : -FI_EAGAIN;
}

static ssize_t read_from(struct fid_cq *fid, void *to, size_t count, fi_addr_t *sources)
{
    struct completions *cq = container_of(fid, struct completions, fid);
    ssize_t taken;

    pthread_mutex_lock(&cq->domain->lock);
    make_progress(cq);
    taken = take(cq, to, count, sources);
    pthread_mutex_unlock(&cq->domain->lock);
    return taken;
}

static ssize_t read_cq(struct fid_cq *fid, void *to, size_t count) { return read_from(fid, to, count, NULL); }

static ssize_t read_error(struct fid_cq *fid, struct fi_cq_err_entry *to, uint64_t flags)
{
    struct completions *cq = container_of(fid, struct completions, fid);
    struct operation *operation;
    ssize_t taken = -FI_EAGAIN;

    (void)flags;
    pthread_mutex_lock(&cq->domain->lock);
    operation = TAILQ_FIRST(&cq->done);
    if (operation && operation->refusal) {
        const struct fi_cq_tagged_entry entry = entry_of(operation);
        const size_t missing = operation->arrived > operation->room ? operation->arrived - operation->room : 0;

        to->op_context = entry.op_context;
        to->flags = entry.flags;
        to->len = operation->refusal == REFUSED_CUT ? entry.len : 0;
        to->buf = entry.buf;
        to->data = entry.data;
        to->tag = operation->head.tag;
        to->olen = operation->refusal == REFUSED_CUT ? missing : 0;
        to->err = ends[operation->refusal].error;
        to->prov_errno = operation->refusal;
        to->err_data_size = 0;
        TAILQ_REMOVE(&cq->done, operation, entry);
        free_operation(operation);
        taken = 1;
    }
    pthread_mutex_unlock(&cq->domain->lock);
    return taken;
}

static const char *text_of_error(struct fid_cq *fid, int prov_errno, const void *data, char *to, size_t bytes)
{
    (void)fid, (void)data;
    if (to && bytes) snprintf(to, bytes, "%s", sentence_of(prov_errno));
    return sentence_of(prov_errno);
}

/* Nobody need be woken for what can be read already: 0. Else who sleeps on the file wakes by a message, a completion, a signal, or when something is to be sent again. */
static bool may_sleep(struct completions *cq)
{
    struct itimerspec when = {.it_value.tv_sec = cq->domain->repeat / 1000, .it_value.tv_nsec = cq->domain->repeat % 1000 * 1000000};
    struct endpoint *endpoint;
    bool waits = false;
    uint64_t count;

    make_progress(cq);
    if (!TAILQ_EMPTY(&cq->done)) return false;
    if (read(cq->event, &count, sizeof count) < 0 && errno != EAGAIN) return false;
    LIST_FOREACH(endpoint, &cq->domain->endpoints, entry) waits |= busy(endpoint);
    if (!waits) when = (struct itimerspec){0};
    return !timerfd_settime(cq->timer, 0, &when, NULL);
}

static ssize_t sleep_and_read(struct fid_cq *fid, void *to, size_t count, fi_addr_t *sources, const void *condition, int timeout)
{
    struct completions *cq = container_of(fid, struct completions, fid);
    const int64_t end = now() + timeout;

    (void)condition;
    if (cq->wait < 0) return -FI_ENOSYS;
    for (;;) {
        struct pollfd woken = {.fd = cq->wait, .events = POLLIN};
        int64_t left = timeout < 0 ? -1 : end - now();
        ssize_t taken;
        bool sleeps, signaled;

        pthread_mutex_lock(&cq->domain->lock);
        sleeps = may_sleep(cq);
        taken = take(cq, to, count, sources);
        signaled = cq->signaled;
        cq->signaled = false;
        pthread_mutex_unlock(&cq->domain->lock);
        if (taken != -FI_EAGAIN || signaled || (timeout >= 0 && left <= 0)) return taken;
        if (sleeps && poll(&woken, 1, left) < 0 && errno != EINTR) return -errno;
    }
}

static ssize_t sleep_and_read_cq(struct fid_cq *fid, void *to, size_t count, const void *condition, int timeout)
{
    return sleep_and_read(fid, to, count, NULL, condition, timeout);
}

static int signal_cq(struct fid_cq *fid)
{
    struct completions *cq = container_of(fid, struct completions, fid);
    const uint64_t one = 1;
    int result = -FI_ENOSYS;

    if (cq->wait < 0) return result;
    pthread_mutex_lock(&cq->domain->lock);
    cq->signaled = true;
    result = write(cq->event, &one, sizeof one) < 0 ? -errno : 0;
    pthread_mutex_unlock(&cq->domain->lock);
    return result;
}

int try_wait(struct fid_fabric *fabric, struct fid **fids, int count)
{
    (void)fabric;
    for (int i = 0; i < count; i++) {
        struct completions *cq = container_of(fids[i], struct completions, fid.fid);
        bool sleeps;

        if (fids[i]->fclass != FI_CLASS_CQ) continue;
        if (cq->wait < 0) return -FI_EINVAL;
        pthread_mutex_lock(&cq->domain->lock);
        sleeps = may_sleep(cq);
        pthread_mutex_unlock(&cq->domain->lock);
        if (!sleeps) return -FI_EAGAIN;
    }
    return 0;
}

static int control(struct fid *fid, int command, void *to)
{
    struct completions *cq = container_of(fid, struct completions, fid.fid);

    if (cq->wait < 0) return -FI_ENODATA;
    if (command == FI_GETWAIT) *(int *)to = cq->wait;
    else if (command == FI_GETWAITOBJ) *(enum fi_wait_obj *)to = FI_WAIT_FD;
    else return -FI_ENOSYS;
    return 0;
}

static int no_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

static void close_files(struct completions *cq)
{
    const int files[] = {cq->wait, cq->event, cq->timer};

    for (int i = 0; i < 3; i++)
        if (files[i] >= 0) close(files[i]);
}

static int close_cq(struct fid *fid)
{
    struct completions *cq = container_of(fid, struct completions, fid.fid);

    if (cq->references) return -FI_EBUSY;
    while (!TAILQ_EMPTY(&cq->done)) {
        struct operation *operation = TAILQ_FIRST(&cq->done);

        TAILQ_REMOVE(&cq->done, operation, entry);
        free_operation(operation);
    }
    close_files(cq);
    __sync_fetch_and_sub(&cq->domain->references, 1);
    free(cq);
    return 0;
}

static bool open_files(struct completions *cq)
{
    struct epoll_event told = {.events = EPOLLIN};

    cq->wait = epoll_create1(EPOLL_CLOEXEC);
    cq->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    cq->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return cq->wait >= 0 && cq->event >= 0 && cq->timer >= 0 && !epoll_ctl(cq->wait, EPOLL_CTL_ADD, cq->event, &told) && !epoll_ctl(cq->wait, EPOLL_CTL_ADD, cq->timer, &told);
}

static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = close_cq, .bind = no_bind, .control = control};
static struct fi_ops_cq cq_ops = {
    .size = sizeof cq_ops, .read = read_cq, .readfrom = read_from, .readerr = read_error, .sread = sleep_and_read_cq, .sreadfrom = sleep_and_read, .signal = signal_cq, .strerror = text_of_error,
};

int open_cq(struct fid_domain *fid, struct fi_cq_attr *attr, struct fid_cq **cq, void *context)
{
    const bool sleeps = attr->wait_obj == FI_WAIT_FD || attr->wait_obj == FI_WAIT_UNSPEC;
    struct completions *made;

    if (attr->format > FI_CQ_FORMAT_TAGGED || (!sleeps && attr->wait_obj != FI_WAIT_NONE) || attr->wait_cond != FI_CQ_COND_NONE) return -FI_ENOSYS;
    made = calloc(1, sizeof *made);
    if (!made) return -FI_ENOMEM;
    made->domain = container_of(fid, struct domain, fid);
    made->format = attr->format == FI_CQ_FORMAT_UNSPEC ? FI_CQ_FORMAT_CONTEXT : attr->format;
    made->wait = made->event = made->timer = -1;
    made->fid = (struct fid_cq){.fid = {.fclass = FI_CLASS_CQ, .context = context, .ops = &fid_ops}, .ops = &cq_ops};
    TAILQ_INIT(&made->done);
    if (sleeps && !open_files(made)) {
        int error = errno;

        close_files(made);
        free(made);
        return -error;
    }
    __sync_fetch_and_add(&made->domain->references, 1);
    *cq = &made->fid;
    return 0;
}
