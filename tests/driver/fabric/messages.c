/* What applications are promised, and what faults of the network and of peers do to it. */
#include "world.h"
#include <time.h>
#include <unistd.h>

enum { TRIES = 200000, BIG = 20000 };

static void fill(uint8_t *to, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++) to[i] = seed * 31 + i * 7 + (i >> 8);
}

static void expect(struct host *host, struct host *other, void *context, size_t bytes, uint64_t tag)
{
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error = {0};

    CHECK(completion(host, &entry, &error, other, TRIES) == 1);
    CHECK(entry.op_context == context && entry.len == bytes && entry.tag == tag);
}


static void messages_of_any_size_arrive_whole_and_in_order(void)
{
    static const size_t sizes[] = {0, 1, 39, 40, 41, 111, 112, 113, 1000, 4096, BIG};
    struct host a, b;
    static uint8_t from[BIG], to[BIG];
    fi_addr_t at;

    host_open(&a, 0);
    host_open(&b, 1);
    at = known(&a, &b);
    known(&b, &a);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fill(from, sizes[i], i);
        memset(to, 0, sizeof to);
        if (i % 2) CHECK(fi_trecv(b.ep, to, sizes[i], NULL, FI_ADDR_UNSPEC, i, 0, to) == 0);
        CHECK(fi_tsend(a.ep, from, sizes[i], NULL, at, i, from) == 0);
        if (!(i % 2)) {
            for (int n = 0; n < 1000; n++) progress(inside(&a), false), progress(inside(&b), false);
            CHECK(fi_trecv(b.ep, to, sizes[i], NULL, 0, i, 0, to) == 0);
        }
        expect(&b, &a, to, sizes[i], i);
        expect(&a, &b, from, sizes[i], 0);
        CHECK(!memcmp(from, to, sizes[i]));
    }
    CHECK(!standin.full && standin.most[a.address.name] <= STANDIN_SLOTS);
    host_close(&a);
    host_close(&b);
}

const struct test tests[] = {
    {"messages_of_any_size_arrive_whole_and_in_order", messages_of_any_size_arrive_whole_and_in_order},
    {NULL, NULL},
};
