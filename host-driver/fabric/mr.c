/* SPDX-License-Identifier: Apache-2.0 */
/* Memory regions that others read and write, by active messages: the card's DMA does not reach hosts. Keys are the application's; an address is the offset in the region. */
#include "provider.h"
#include <stdlib.h>

#define REMOTE (FI_REMOTE_READ | FI_REMOTE_WRITE)

struct region *region_of(struct domain *domain, const struct message *head, size_t bytes, uint64_t access, enum refusal *refusal)
{
    struct region *region;

    *refusal = REFUSED_KEY;
    LIST_FOREACH(region, &domain->regions, entry) {
        if (region->fid.key != head->key || !(region->access & access)) continue;
        *refusal = head->tag <= region->bytes && bytes <= region->bytes - head->tag ? REFUSED_NOT : REFUSED_RANGE;
        return *refusal ? NULL : region;
    }
    return NULL;
}

/* What still comes for it goes nowhere; what is still read of it ends with its reader's session, who was told its length. */
static void withdraw(struct endpoint *endpoint, struct region *region)
{
    struct operation *operation;
    struct peer *peer;

    LIST_FOREACH(peer, &endpoint->peers, entry) {
        bool read = false;

        if (peer->region == region) peer->region = NULL, peer->refusal = REFUSED_KEY;
        TAILQ_FOREACH(operation, &peer->sends, entry) read |= operation->region == region;
        if (read) fail_peer(peer, REFUSED_KEY);
    }
}

static int close_region(struct fid *fid)
{
    struct region *region = container_of(fid, struct region, fid.fid);
    struct domain *domain = region->domain;
    struct endpoint *endpoint;

    pthread_mutex_lock(&domain->lock);
    LIST_FOREACH(endpoint, &domain->endpoints, entry) withdraw(endpoint, region);
    LIST_REMOVE(region, entry);
    domain->references--;
    pthread_mutex_unlock(&domain->lock);
    free(region);
    return 0;
}

static int bind_region(struct fid *fid, struct fid *other, uint64_t flags)
{
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

static int control_region(struct fid *fid, int command, void *arg)
{
    (void)fid, (void)command, (void)arg;
    return -FI_ENOSYS;
}

static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = close_region, .bind = bind_region, .control = control_region};

static int register_attr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags, struct fid_mr **mr)
{
    struct domain *domain = container_of(fid, struct domain, fid.fid);
    struct region *made, *other;

    if (flags || attr->iface != FI_HMEM_SYSTEM) return -FI_ENOSYS;
    if (attr->iov_count != 1) return -FI_EINVAL;
    made = calloc(1, sizeof *made);
    if (!made) return -FI_ENOMEM;
    made->domain = domain;
    made->base = attr->mr_iov->iov_base;
    made->bytes = attr->mr_iov->iov_len;
    made->access = attr->access;
    made->fid = (struct fid_mr){.fid = {.fclass = FI_CLASS_MR, .context = attr->context, .ops = &fid_ops}, .key = attr->requested_key};
    made->fid.mem_desc = made;
    pthread_mutex_lock(&domain->lock);
    LIST_FOREACH(other, &domain->regions, entry)
        if (other->fid.key == made->fid.key && other->access & REMOTE && made->access & REMOTE) break;
    if (!other) {
        LIST_INSERT_HEAD(&domain->regions, made, entry);
        domain->references++;
    }
    pthread_mutex_unlock(&domain->lock);
    if (other) {
        SAY(FI_LOG_WARN, "key 0x%lx is another region's: keys are the application's to choose\n", (unsigned long)made->fid.key);
        free(made);
        return -FI_ENOKEY;
    }
    *mr = &made->fid;
    return 0;
}

static int register_vector(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access, uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **mr, void *context)
{
    const struct fi_mr_attr attr = {.mr_iov = iov, .iov_count = count, .access = access, .offset = offset, .requested_key = key, .context = context};

    return register_attr(fid, &attr, flags, mr);
}

static int register_one(struct fid *fid, const void *buffer, size_t bytes, uint64_t access, uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **mr, void *context)
{
    const struct iovec iov = {(void *)buffer, bytes};

    return register_vector(fid, &iov, 1, access, offset, key, flags, mr, context);
}

struct fi_ops_mr region_ops = {.size = sizeof region_ops, .reg = register_one, .regv = register_vector, .regattr = register_attr};
