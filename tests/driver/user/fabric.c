/* Two endpoints of one process on the card: writes and reads of a region, what is refused, sleep, and a peer that leaves. */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 500, KEY = 9, NAME = 8, TRIES = 100000 };

#define CHECK(condition) ((condition) ? (void)0 : (printf("fabric: line %d: not so: %s\n", __LINE__, #condition), exit(1)))

static struct side {
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *cq;
    struct fid_ep *ep;
    char name[NAME];
} a, b;

static void open_side(struct side *side, struct fid_fabric *fabric, struct fi_info *info)
{
    struct fi_av_attr av = {.type = FI_AV_MAP};
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
    size_t bytes = NAME;

    CHECK(!fi_domain(fabric, info, &side->domain, NULL) && !fi_av_open(side->domain, &av, &side->av, NULL) && !fi_cq_open(side->domain, &cq, &side->cq, NULL));
    CHECK(!fi_endpoint(side->domain, info, &side->ep, NULL) && !fi_ep_bind(side->ep, &side->av->fid, 0) && !fi_ep_bind(side->ep, &side->cq->fid, FI_TRANSMIT | FI_RECV));
    CHECK(!fi_enable(side->ep) && !fi_getname(&side->ep->fid, side->name, &bytes) && bytes == NAME);
}

static void close_side(struct side *side) { CHECK(!fi_close(&side->ep->fid) && !fi_close(&side->cq->fid) && !fi_close(&side->av->fid) && !fi_close(&side->domain->fid)); }

/* The next completion of a side; the other makes progress, and has none. 0, or the error. */
static int ended(struct side *side, struct side *other, void *context, struct fi_cq_data_entry *entry)
{
    struct fi_cq_err_entry error = {0};
    struct fi_cq_data_entry none;

    for (int i = 0; i < TRIES; i++) {
        ssize_t result = fi_cq_read(side->cq, entry, 1);

        if (result == 1) CHECK(entry->op_context == context);
        if (result == 1) return 0;
        if (result == -FI_EAVAIL) CHECK(fi_cq_readerr(side->cq, &error, 0) == 1 && error.op_context == context);
        if (result == -FI_EAVAIL) return error.err;
        if (other) CHECK(fi_cq_read(other->cq, &none, 0) <= 0);
    }
    CHECK(!"it ended");
    return -1;
}

int main(void)
{
    static unsigned char memory[BYTES], from[BYTES], to[BYTES];
    struct fi_info *hints = fi_allocinfo(), *info;
    struct fi_cq_data_entry entry;
    struct fid_fabric *fabric;
    struct fid_mr *region;
    fi_addr_t peer;

    hints->caps = FI_MSG | FI_RMA;
    hints->ep_attr->type = FI_EP_RDM;
    hints->fabric_attr->prov_name = strdup("turnstile");
    CHECK(!fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info) && !fi_fabric(info->fabric_attr, &fabric, NULL));
    open_side(&a, fabric, info);
    open_side(&b, fabric, info);
    CHECK(fi_av_insert(a.av, b.name, 1, &peer, 0, NULL) == 1);
    CHECK(!fi_mr_reg(b.domain, memory, BYTES, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, KEY, 0, &region, NULL));
    for (int i = 0; i < BYTES; i++) from[i] = i * 5 + 1;

    CHECK(!fi_writedata(a.ep, from, BYTES, NULL, 77, peer, 0, KEY, &a) && !ended(&b, &a, NULL, &entry) && entry.data == 77 && entry.len == BYTES);
    CHECK(!ended(&a, &b, &a, &entry) && !memcmp(memory, from, BYTES));
    CHECK(!fi_read(a.ep, to, BYTES - 100, NULL, peer, 100, KEY, &b) && !ended(&a, &b, &b, &entry) && !memcmp(to, from + 100, BYTES - 100));
    CHECK(!fi_write(a.ep, from, 2, NULL, peer, BYTES - 1, KEY, &a) && ended(&a, &b, &a, &entry) == FI_EINVAL);
    CHECK(!fi_read(a.ep, to, 1, NULL, peer, 0, KEY + 1, &a) && ended(&a, &b, &a, &entry) == FI_EKEYREJECTED);

    CHECK(fi_cq_sread(b.cq, &entry, 1, NULL, 20) == -FI_EAGAIN);
    CHECK(!fi_recv(b.ep, to, BYTES, NULL, FI_ADDR_UNSPEC, to) && !fi_send(a.ep, from, 30, NULL, peer, from));
    CHECK(fi_cq_sread(b.cq, &entry, 1, NULL, 20000) == 1 && entry.op_context == to && entry.len == 30 && !memcmp(to, from, 30));
    CHECK(!ended(&a, &b, from, &entry));

    CHECK(!fi_close(&region->fid));
    close_side(&b);
    CHECK(!fi_send(a.ep, from, BYTES, NULL, peer, &b) && ended(&a, NULL, &b, &entry) == FI_ECONNRESET);
    close_side(&a);
    CHECK(!fi_close(&fabric->fid));
    fi_freeinfo(info);
    fi_freeinfo(hints);
    printf("all as it should be\n");
    return 0;
}
