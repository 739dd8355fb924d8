/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric and its domains, a card each; and an event queue, which some applications want and in which nothing ever is. */
#include "provider.h"
#include <stdlib.h>
#include <stdio.h>
#include <time.h>

enum { SITES = 64 };

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

static int close_fabric(struct fid *fid)
{
    free(container_of(fid, struct fid_fabric, fid));
    return 0;
}

static int close_eq(struct fid *fid)
{
    free(container_of(fid, struct fid_eq, fid));
    return 0;
}

static ssize_t read_eq(struct fid_eq *eq, uint32_t *event, void *to, size_t bytes, uint64_t flags)
{
    (void)eq, (void)event, (void)to, (void)bytes, (void)flags;
    return -FI_EAGAIN;
}

static ssize_t read_eq_error(struct fid_eq *eq, struct fi_eq_err_entry *to, uint64_t flags)
{
    (void)eq, (void)to, (void)flags;
    return -FI_EAGAIN;
}

static ssize_t write_eq(struct fid_eq *eq, uint32_t event, const void *from, size_t bytes, uint64_t flags)
{
    (void)eq, (void)event, (void)from, (void)bytes, (void)flags;
    return -FI_ENOSYS;
}

static ssize_t sleep_and_read_eq(struct fid_eq *eq, uint32_t *event, void *to, size_t bytes, int timeout, uint64_t flags)
{
    const struct timespec wait = {.tv_sec = timeout / 1000, .tv_nsec = timeout % 1000 * 1000000L};

    (void)eq, (void)event, (void)to, (void)bytes, (void)flags;
    if (timeout < 0) return -FI_ENOSYS; /* it would be for ever */
    nanosleep(&wait, NULL);
    return -FI_EAGAIN;
}

static const char *text_of_eq(struct fid_eq *eq, int error, const void *data, char *to, size_t bytes)
{
    (void)eq, (void)data;
    if (to && bytes) snprintf(to, bytes, "%s", sentence_of(error));
    return sentence_of(error);
}

static struct fi_ops eq_fid_ops = {.size = sizeof eq_fid_ops, .close = close_eq, .bind = no_bind, .control = no_control};
static struct fi_ops_eq eq_ops = {.size = sizeof eq_ops, .read = read_eq, .readerr = read_eq_error, .write = write_eq, .sread = sleep_and_read_eq, .strerror = text_of_eq};

static int open_eq(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq, void *context)
{
    struct fid_eq *made = calloc(1, sizeof *made);

    (void)fabric, (void)attr;
    if (!made) return -FI_ENOMEM;
    *made = (struct fid_eq){.fid = {.fclass = FI_CLASS_EQ, .context = context, .ops = &eq_fid_ops}, .ops = &eq_ops};
    *eq = made;
    return 0;
}

static int no_passive(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep, void *context)
{
    (void)fabric, (void)info, (void)pep, (void)context;
    return -FI_ENOSYS;
}

static int no_wait_set(struct fid_fabric *fabric, struct fi_wait_attr *attr, struct fid_wait **set)
{
    (void)fabric, (void)attr, (void)set;
    return -FI_ENOSYS;
}

static struct fi_ops fabric_fid_ops = {.size = sizeof fabric_fid_ops, .close = close_fabric, .bind = no_bind, .control = no_control};
static struct fi_ops_fabric fabric_ops = {.size = sizeof fabric_ops, .domain = open_domain, .passive_ep = no_passive, .eq_open = open_eq, .wait_open = no_wait_set, .trywait = try_wait};

int open_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
    struct fid_fabric *made = calloc(1, sizeof *made);

    if (!made) return -FI_ENOMEM;
    *made = (struct fid_fabric){.fid = {.fclass = FI_CLASS_FABRIC, .context = context, .ops = &fabric_fid_ops}, .ops = &fabric_ops, .api_version = attr->api_version};
    *fabric = made;
    return 0;
}

static int close_domain(struct fid *fid)
{
    struct domain *domain = container_of(fid, struct domain, fid.fid);

    if (domain->references) return -FI_EBUSY;
    pthread_mutex_destroy(&domain->lock);
    free(domain);
    return 0;
}

static int no_scalable(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep, void *context)
{
    (void)domain, (void)info, (void)ep, (void)context;
    return -FI_ENOSYS;
}

static int no_counter(struct fid_domain *domain, struct fi_cntr_attr *attr, struct fid_cntr **counter, void *context)
{
    (void)domain, (void)attr, (void)counter, (void)context;
    return -FI_ENOSYS;
}

static int no_poll_set(struct fid_domain *domain, struct fi_poll_attr *attr, struct fid_poll **set)
{
    (void)domain, (void)attr, (void)set;
    return -FI_ENOSYS;
}

static int no_shared_send(struct fid_domain *domain, struct fi_tx_attr *attr, struct fid_stx **context, void *own)
{
    (void)domain, (void)attr, (void)context, (void)own;
    return -FI_ENOSYS;
}

static int no_shared_receive(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **context, void *own)
{
    (void)domain, (void)attr, (void)context, (void)own;
    return -FI_ENOSYS;
}

static struct fi_ops domain_fid_ops = {.size = sizeof domain_fid_ops, .close = close_domain, .bind = no_bind, .control = no_control};
static struct fi_ops_domain domain_ops = {
    .size = sizeof domain_ops, .av_open = open_av, .cq_open = open_cq, .endpoint = open_endpoint, .scalable_ep = no_scalable,
    .cntr_open = no_counter, .poll_open = no_poll_set, .stx_ctx = no_shared_send, .srx_ctx = no_shared_receive,
};

/* As the driver says; of a driver that says nothing, 0. */
static int site_of(const char *name)
{
    char path[64];
    FILE *file;
    int site = 0;

    snprintf(path, sizeof path, "/sys/class/turnstile/%.20s/site", name);
    file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%d", &site) != 1 || site < 0 || site >= SITES) site = 0;
    fclose(file);
    return site;
}

int open_domain(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **domain, void *context)
{
    struct domain *made = calloc(1, sizeof *made);

    (void)fabric;
    if (!made) return -FI_ENOMEM;
    made->fid = (struct fid_domain){.fid = {.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &domain_fid_ops}, .ops = &domain_ops, .mr = &region_ops};
    pthread_mutex_init(&made->lock, NULL);
    snprintf(made->device, sizeof made->device, "/dev/%s", info->domain_attr->name);
    made->site = setting("site", 0, SITES - 1, site_of(info->domain_attr->name));
    made->repeat = setting("repeat", 1, 60000, 1000);
    made->patience = setting("patience", 1, 1000000, 60) * INT64_C(1000);
    *domain = &made->fid;
    return 0;
}
