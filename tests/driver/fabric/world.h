/* Endpoints over the stand-in, by libfabric's calls; what is within them is looked at by struct endpoint. */
#ifndef WORLD_H
#define WORLD_H
#include "provider.h"
#include "standin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) check_that(condition, #condition, __FILE__, __LINE__)
static inline void check_that(int holds, const char *what, const char *file, int line)
{
    if (holds) return;
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    exit(1);
}

/* One with all that it needs, on a card of its own domain. */
struct host {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *cq;
    struct fid_ep *ep;
    struct address address;
    fi_addr_t self;
};

void host_open(struct host *host, int site);
void host_close(struct host *host);
/* What `to` is called at `host`. */
fi_addr_t known(struct host *host, const struct host *to);
static inline struct endpoint *inside(struct host *host) { return container_of(host->ep, struct endpoint, fid); }
/* Reads one completion; other hosts make progress meanwhile, and lose what they get. -FI_EAVAIL: an error, in `error`. -FI_EAGAIN: none in `tries`. */
int completion(struct host *host, struct fi_cq_tagged_entry *entry, struct fi_cq_err_entry *error, struct host *other, int tries);

void fill(uint8_t *to, size_t bytes, unsigned seed);
/* The next completion of a host is this one, or this error. */
void expect(struct host *host, struct host *other, void *context, size_t bytes, uint64_t tag);
void expect_error(struct host *host, struct host *other, void *context, int err, int refusal);
void run_both(struct host *a, struct host *b, int times);
/* Two that know each other by 0; and their end. */
void two(struct host *a, struct host *b);
void close_two(struct host *a, struct host *b);

struct test {
    const char *name;
    void (*run)(void);
};
extern const struct test message_tests[], fault_tests[], hostile_tests[];
#endif
