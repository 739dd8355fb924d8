/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses: an endpoint's name and epoch. A table and a map are the same here: fi_addr_t is a number from 0 on. */
#include "provider.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_QUEUE = 6, SITES = 64 };

const struct address *address_of(const struct addresses *av, fi_addr_t at) { return av && at < av->count && av->at[at].epoch ? &av->at[at] : NULL; }

fi_addr_t at_of(const struct addresses *av, const struct address *address)
{
    for (size_t i = 0; av && i < av->count; i++)
        if (av->at[i].name == address->name && av->at[i].epoch == address->epoch) return i;
    return FI_ADDR_NOTAVAIL;
}

static bool legal(const struct address *address) { return address->epoch && address->name < SITES * 8 && (address->name & 7) >= FIRST_QUEUE && !address->zero; }

int parse_address(const char *text, struct address *address)
{
    unsigned site, queue;
    int end = 0;

    *address = (struct address){0};
    if (sscanf(text, "turnstile://%2u/%1u/%8x%n", &site, &queue, &address->epoch, &end) != 3 || text[end]) return -FI_EINVAL;
    address->name = site << 3 | queue;
    return site < SITES && queue < 8 && legal(address) ? 0 : -FI_EINVAL;
}

static int add(struct addresses *av, const struct address *address, fi_addr_t *at)
{
    if (av->count == av->room) {
        const size_t room = av->room ? 2 * av->room : 16;
        struct address *larger = realloc(av->at, room * sizeof *larger);

        if (!larger) return -FI_ENOMEM;
        av->at = larger;
        av->room = room;
    }
    if (at) *at = av->count;
    av->at[av->count++] = *address;
    return 0;
}

static int insert(struct fid_av *fid, const void *from, size_t count, fi_addr_t *at, uint64_t flags, void *context)
{
    struct addresses *av = container_of(fid, struct addresses, fid);
    int *errors = flags & FI_SYNC_ERR ? context : NULL, added = 0;

    if (flags & ~(FI_MORE | FI_SYNC_ERR)) return -FI_EBADFLAGS;
    pthread_mutex_lock(&av->domain->lock);
    for (size_t i = 0; i < count; i++) {
        struct address address;
        int result;

        memcpy(&address, (const uint8_t *)from + i * sizeof address, sizeof address);
        result = legal(&address) ? add(av, &address, at ? at + i : NULL) : -FI_EINVAL;
        if (result && at) at[i] = FI_ADDR_NOTAVAIL;
        if (errors) errors[i] = -result;
        added += !result;
        if (result == -FI_EINVAL) SAY(FI_LOG_WARN, "address %zu is none of this provider: name %u, epoch %08x\n", i, address.name, address.epoch);
    }
    pthread_mutex_unlock(&av->domain->lock);
    return added;
}

static int insert_service(struct fid_av *fid, const char *node, const char *service, fi_addr_t *at, uint64_t flags, void *context)
{
    struct address address;

    if (service || !node || parse_address(node, &address)) {
        SAY(FI_LOG_WARN, "'%s' is no address: legal is turnstile://SITE/QUEUE/EPOCH, without a service\n", node ? node : "");
        return -FI_EINVAL;
    }
    return insert(fid, &address, 1, at, flags, context);
}

static int no_symmetric(struct fid_av *fid, const char *node, size_t nodes, const char *service, size_t services, fi_addr_t *at, uint64_t flags, void *context)
{
    (void)fid, (void)node, (void)nodes, (void)service, (void)services, (void)at, (void)flags, (void)context;
    return -FI_ENOSYS;
}

static int take_out(struct fid_av *fid, fi_addr_t *at, size_t count, uint64_t flags)
{
    struct addresses *av = container_of(fid, struct addresses, fid);
    int result = flags ? -FI_EBADFLAGS : 0;

    pthread_mutex_lock(&av->domain->lock);
    for (size_t i = 0; !result && i < count; i++) {
        if (!address_of(av, at[i])) result = -FI_EINVAL;
        else av->at[at[i]] = (struct address){0};
    }
    pthread_mutex_unlock(&av->domain->lock);
    return result;
}

static int look_up(struct fid_av *fid, fi_addr_t at, void *to, size_t *bytes)
{
    struct addresses *av = container_of(fid, struct addresses, fid);
    const struct address *address;
    int result = -FI_EINVAL;

    pthread_mutex_lock(&av->domain->lock);
    address = address_of(av, at);
    if (address) {
        memcpy(to, address, *bytes < sizeof *address ? *bytes : sizeof *address);
        *bytes = sizeof *address;
        result = 0;
    }
    pthread_mutex_unlock(&av->domain->lock);
    return result;
}

static const char *text_of(struct fid_av *fid, const void *from, char *to, size_t *bytes)
{
    struct address address;
    int needed;

    (void)fid;
    memcpy(&address, from, sizeof address);
    needed = snprintf(to, *bytes, "turnstile://%u/%u/%08x", address.name >> 3, address.name & 7, address.epoch);
    *bytes = needed + 1;
    return to;
}

static int close_av(struct fid *fid)
{
    struct addresses *av = container_of(fid, struct addresses, fid.fid);

    if (av->references) return -FI_EBUSY;
    __sync_fetch_and_sub(&av->domain->references, 1);
    free(av->at);
    free(av);
    return 0;
}

static int no_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

static int no_control(struct fid *fid, int command, void *arg)
{
    (void)fid, (void)command, (void)arg;
    return -FI_ENOSYS;
}

static struct fi_ops fid_ops = {.size = sizeof fid_ops, .close = close_av, .bind = no_bind, .control = no_control};
static struct fi_ops_av av_ops = {.size = sizeof av_ops, .insert = insert, .insertsvc = insert_service, .insertsym = no_symmetric, .remove = take_out, .lookup = look_up, .straddr = text_of};

int open_av(struct fid_domain *fid, struct fi_av_attr *attr, struct fid_av **av, void *context)
{
    struct domain *domain = container_of(fid, struct domain, fid);
    struct addresses *made;

    if (attr && (attr->flags || attr->name || attr->rx_ctx_bits)) return -FI_ENOSYS;
    made = calloc(1, sizeof *made);
    if (!made) return -FI_ENOMEM;
    made->fid = (struct fid_av){.fid = {.fclass = FI_CLASS_AV, .context = context, .ops = &fid_ops}, .ops = &av_ops};
    made->domain = domain;
    __sync_fetch_and_add(&domain->references, 1);
    if (attr && attr->type == FI_AV_UNSPEC) attr->type = FI_AV_TABLE;
    *av = &made->fid;
    return 0;
}
