#include "world.h"

enum { REPEAT = 20 /* ms */, TRIES = 1 << 30 }; /* TRIES: the time limit is who runs this */

void host_open(struct host *host, int site)
{
    struct fi_info *hints = fi_allocinfo();
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_FD};
    char name[24];
    size_t bytes = sizeof host->address;

    memset(host, 0, sizeof *host);
    snprintf(name, sizeof name, "turnstile%d", site < 16 ? site : 0);
    hints->domain_attr->name = strdup(name);
    hints->caps = FI_MSG | FI_TAGGED | FI_RMA;
    CHECK(turnstile_provider.getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &host->info) == 0);
    fi_freeinfo(hints);
    CHECK(turnstile_provider.fabric(host->info->fabric_attr, &host->fabric, NULL) == 0);
    CHECK(fi_domain(host->fabric, host->info, &host->domain, NULL) == 0);
    struct domain *domain = container_of(host->domain, struct domain, fid);
    domain->site = site;
    snprintf(domain->device, sizeof domain->device, "/dev/turnstile%d", site);
    domain->repeat = REPEAT;
    domain->patience = 10 * REPEAT;
    CHECK(fi_av_open(host->domain, &av, &host->av, NULL) == 0);
    CHECK(fi_cq_open(host->domain, &cq, &host->cq, NULL) == 0);
    CHECK(fi_endpoint(host->domain, host->info, &host->ep, NULL) == 0);
    CHECK(fi_ep_bind(host->ep, &host->av->fid, 0) == 0 && fi_ep_bind(host->ep, &host->cq->fid, FI_TRANSMIT | FI_RECV) == 0);
    CHECK(fi_enable(host->ep) == 0);
    CHECK(fi_getname(&host->ep->fid, &host->address, &bytes) == 0 && bytes == sizeof host->address);
}

void host_close(struct host *host)
{
    CHECK(fi_close(&host->ep->fid) == 0 && fi_close(&host->cq->fid) == 0 && fi_close(&host->av->fid) == 0);
    CHECK(fi_close(&host->domain->fid) == 0 && fi_close(&host->fabric->fid) == 0);
    fi_freeinfo(host->info);
}

fi_addr_t known(struct host *host, const struct host *to)
{
    fi_addr_t at;

    CHECK(fi_av_insert(host->av, &to->address, 1, &at, 0, NULL) == 1);
    return at;
}

int completion(struct host *host, struct fi_cq_tagged_entry *entry, struct fi_cq_err_entry *error, struct host *other, int tries)
{
    for (; tries; tries--) {
        ssize_t result = fi_cq_read(host->cq, entry, 1);

        if (result == -FI_EAVAIL) CHECK(fi_cq_readerr(host->cq, error, 0) == 1);
        if (result != -FI_EAGAIN) return result;
        if (other) progress(inside(other));
    }
    return -FI_EAGAIN;
}

void fill(uint8_t *to, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++) to[i] = seed * 31 + i * 7 + (i >> 8);
}

void expect(struct host *host, struct host *other, void *context, size_t bytes, uint64_t tag)
{
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error = {0};

    CHECK(completion(host, &entry, &error, other, TRIES) == 1);
    CHECK(entry.op_context == context && entry.len == bytes && entry.tag == tag);
}

void expect_error(struct host *host, struct host *other, void *context, int err, int refusal)
{
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error = {0};
    char text[200];

    CHECK(completion(host, &entry, &error, other, TRIES) == -FI_EAVAIL);
    CHECK(error.op_context == context && error.err == err && error.prov_errno == refusal);
    CHECK(!strcmp(fi_cq_strerror(host->cq, error.prov_errno, NULL, text, sizeof text), text) && strlen(text) > 10);
}

void run_both(struct host *a, struct host *b, int times)
{
    for (int n = 0; n < times; n++) {
        progress(inside(a));
        progress(inside(b));
    }
}

void two(struct host *a, struct host *b)
{
    host_open(a, 0);
    host_open(b, 1);
    CHECK(known(a, b) == 0 && known(b, a) == 0);
}

void close_two(struct host *a, struct host *b)
{
    host_close(a);
    host_close(b);
}

int main(int argc, char **argv)
{
    const struct test *const lists[] = {message_tests, fault_tests, hostile_tests};

    standin.seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    printf("SEED=%lu\n", (unsigned long)standin.seed);
    for (int i = 0; argc > 1 && i < 3; i++)
        for (const struct test *test = lists[i]; test->name; test++) {
            if (strcmp(test->name, argv[1])) continue;
            test->run();
            return 0;
        }
    fprintf(stderr, "%s TEST [SEED]\n", argv[0]);
    return 2;
}
