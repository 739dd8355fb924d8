/* What faults of the network and of peers do to it. */
#include "world.h"

enum { TRIES = 200000 };

/* The first of a pair is lost, a tenth of all: each arrives once, in order, and is told once. */
static void what_the_network_loses_is_sent_again(void)
{
    enum { MESSAGES = 40, BYTES = 300 };
    static uint8_t from[MESSAGES][BYTES], to[MESSAGES][BYTES];
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;
    struct host a, b;

    two(&a, &b);
    standin.lose_permille = 100;
    for (int i = 0; i < MESSAGES; i++) {
        fill(from[i], BYTES, i);
        CHECK(fi_recv(b.ep, to[i], BYTES, NULL, 0, to[i]) == 0 && fi_send(a.ep, from[i], BYTES, NULL, 0, from[i]) == 0);
    }
    for (int i = 0; i < MESSAGES; i++) {
        CHECK(completion(&b, &entry, &error, &a, 1 << 30) == 1 && entry.op_context == to[i] && entry.len == BYTES);
        CHECK(!memcmp(from[i], to[i], BYTES));
    }
    for (int i = 0; i < MESSAGES; i++) CHECK(completion(&a, &entry, &error, &b, 1 << 30) == 1 && entry.op_context == from[i]);
    CHECK(inside(&b)->refused.gap + inside(&b)->refused.repeated > 0);
    standin.lose_permille = 0;
    close_two(&a, &b);
}

/* Nobody reads: what a receive ring cannot take is not sent, from all peers that it has together. */
static void credits_keep_a_ring_that_nobody_reads_from_losing_anything(void)
{
    enum { SENDERS = 30, BYTES = 4000, EACH = 3 };
    static uint8_t from[BYTES], to[BYTES];
    struct host all[SENDERS], b;
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;

    host_open(&b, 40);
    container_of(b.domain, struct domain, fid)->patience = 100000;
    for (int i = 0; i < SENDERS; i++) {
        host_open(&all[i], i);
        container_of(all[i].domain, struct domain, fid)->patience = 100000;
        container_of(all[i].domain, struct domain, fid)->repeat = 60000; /* a repetition would hide a loss */
        CHECK(known(&all[i], &b) == 0 && known(&b, &all[i]) == (fi_addr_t)i);
    }
    for (int round = 0; round < EACH; round++)
        for (int i = 0; i < SENDERS; i++) CHECK(fi_tsend(all[i].ep, from, BYTES, NULL, 0, i, &all[i]) == 0);
    for (int posted = 0; posted < SENDERS * EACH; posted++) CHECK(fi_trecv(b.ep, to, BYTES, NULL, FI_ADDR_UNSPEC, 0, UINT64_MAX, to) == 0);
    for (int done = 0; done < SENDERS * EACH;) {
        for (unsigned i = standin_random() % (4 * SENDERS); i; i--) progress(inside(&all[standin_random() % SENDERS]));
        CHECK(!standin.full);
        done += completion(&b, &entry, &error, NULL, 1) == 1;
    }
    CHECK(standin.most[b.address.name] > 30 && standin.most[b.address.name] <= STANDIN_SLOTS);
    for (int i = 0; i < SENDERS; i++) {
        for (int n = 0; n < EACH; n++) CHECK(completion(&all[i], &entry, &error, &b, TRIES) == 1);
        host_close(&all[i]);
    }
    host_close(&b);
}

/* A receiver that posts nothing keeps at most BUFFERED bytes of a peer, and gets all of them later. */
static void what_nobody_receives_is_bounded_and_pushed_back(void)
{
    enum { MESSAGES = 40, BYTES = 64 << 10 };
    static uint8_t from[BYTES], to[BYTES];
    struct host a, b;
    struct peer *peer;

    two(&a, &b);
    container_of(a.domain, struct domain, fid)->repeat = 60000; /* no probe opens the window */
    container_of(a.domain, struct domain, fid)->patience = 100000;
    fill(from, BYTES, 5);
    for (int i = 0; i < MESSAGES; i++) CHECK(fi_tsend(a.ep, from, BYTES, NULL, 0, i, &a) == 0);
    run_both(&a, &b, 100000);
    peer = LIST_FIRST(&inside(&b)->peers);
    CHECK(peer->buffered >= BUFFERED && peer->buffered < BUFFERED + WINDOW * (MORE_BYTES + MESSAGE_COSTS));
    for (int i = 0; i < MESSAGES; i++) {
        memset(to, 0, BYTES);
        CHECK(fi_trecv(b.ep, to, BYTES, NULL, 0, i, 0, to) == 0);
        expect(&b, &a, to, BYTES, i);
        CHECK(!memcmp(to, from, BYTES));
        expect(&a, &b, &a, BYTES, 0);
    }
    CHECK(peer->buffered == 0 && !standin.full);
    close_two(&a, &b);
}

static void a_peer_that_dies_ends_what_waits_for_it(void)
{
    struct host a, b;
    uint8_t bytes[500] = {0};

    two(&a, &b);
    standin_take_queue(b.address.name);
    CHECK(fi_send(a.ep, bytes, sizeof bytes, NULL, 0, &a) == 0);
    CHECK(fi_read(a.ep, bytes, sizeof bytes, NULL, 0, 0, 1, &b) == 0);
    expect_error(&a, NULL, &a, FI_ETIMEDOUT, REFUSED_SILENT);
    expect_error(&a, NULL, &b, FI_ETIMEDOUT, REFUSED_SILENT);
    CHECK(fi_send(a.ep, bytes, sizeof bytes, NULL, 0, bytes) == 0); /* and at once from then on */
    CHECK(TAILQ_FIRST(&container_of(a.cq, struct completions, fid)->done)->refusal == REFUSED_SILENT);
    expect_error(&a, NULL, bytes, FI_ETIMEDOUT, REFUSED_SILENT);
    close_two(&a, &b);
}

static void a_queue_s_new_owner_takes_nothing_that_was_for_the_old_one(void)
{
    struct host a, b, c;
    uint8_t bytes[500] = {0}, to[500];
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;
    struct {
        struct segment head;
        struct message message;
    } late = {{.kind = SEGMENT_FIRST}, {.operation = OPERATION_MESSAGE}};
    uint64_t stray;

    two(&a, &b);
    CHECK(fi_recv(b.ep, to, sizeof to, NULL, 0, to) == 0 && fi_send(a.ep, bytes, sizeof bytes, NULL, 0, &a) == 0);
    progress(inside(&b)); /* a part has come */
    standin_take_queue(b.address.name);
    host_open(&c, 1);
    CHECK(c.address.name == b.address.name && c.address.epoch != b.address.epoch);
    CHECK(fi_recv(c.ep, to, sizeof to, NULL, 0, to) == 0);
    expect_error(&a, &c, &a, FI_ECONNRESET, REFUSED_RESET);
    CHECK(completion(&c, &entry, &error, &a, 100) == -FI_EAGAIN && inside(&c)->refused.stray > 0);
    CHECK(known(&a, &c) == 1 && fi_send(a.ep, bytes, sizeof bytes, NULL, 1, &c) == 0);
    expect(&c, &a, to, sizeof to, 0);
    expect(&a, &c, &c, sizeof bytes, 0);
    late.head.number = LIST_FIRST(&inside(&c)->peers)->expected; /* and it was long on its way */
    late.head.to = b.address.epoch;
    late.head.from = a.address.epoch;
    stray = inside(&c)->refused.stray;
    CHECK(standin_send(a.address.name, c.address.name, &late, sizeof late));
    progress(inside(&c));
    CHECK(TAILQ_EMPTY(&inside(&c)->unexpected) && inside(&c)->refused.stray == stray + 1);
    standin.gone = 1; /* for b alone there is nothing left to say */
    close_two(&a, &b);
    host_close(&c);
}

static void a_sender_s_new_endpoint_ends_what_its_last_had_begun(void)
{
    struct host a, b, c;
    static uint8_t bytes[5000], to[5000];

    two(&a, &b);
    CHECK(fi_recv(b.ep, to, sizeof to, NULL, 0, to) == 0 && fi_send(a.ep, bytes, sizeof bytes, NULL, 0, &a) == 0);
    run_both(&a, &b, 3);
    CHECK(LIST_FIRST(&inside(&b)->peers)->filling);
    standin_take_queue(a.address.name);
    host_open(&c, 0);
    known(&c, &b);
    CHECK(fi_send(c.ep, bytes, 10, NULL, 0, &c) == 0);
    expect_error(&b, &c, to, FI_ECONNRESET, REFUSED_RESET);
    CHECK(fi_recv(b.ep, to, sizeof to, NULL, 0, &b) == 0);
    expect(&b, &c, &b, 10, 0);
    host_close(&c);
    standin.gone = 1;
    close_two(&a, &b);
}

static void a_card_that_goes_ends_everything(void)
{
    struct host a, b;
    uint8_t bytes[500] = {0};

    two(&a, &b);
    CHECK(fi_recv(a.ep, bytes, sizeof bytes, NULL, 0, &b) == 0 && fi_send(a.ep, bytes, sizeof bytes, NULL, 0, &a) == 0);
    standin.gone = 1;
    expect_error(&a, NULL, &a, FI_ENODEV, REFUSED_CARD);
    expect_error(&a, NULL, &b, FI_ENODEV, REFUSED_CARD);
    CHECK(fi_send(a.ep, bytes, sizeof bytes, NULL, 0, &a) == -FI_ENODEV && fi_recv(a.ep, bytes, sizeof bytes, NULL, 0, &b) == -FI_ENODEV);
    close_two(&a, &b);
}

const struct test fault_tests[] = {
    {"what_the_network_loses_is_sent_again", what_the_network_loses_is_sent_again},
    {"credits_keep_a_ring_that_nobody_reads_from_losing_anything", credits_keep_a_ring_that_nobody_reads_from_losing_anything},
    {"what_nobody_receives_is_bounded_and_pushed_back", what_nobody_receives_is_bounded_and_pushed_back},
    {"a_peer_that_dies_ends_what_waits_for_it", a_peer_that_dies_ends_what_waits_for_it},
    {"a_queue_s_new_owner_takes_nothing_that_was_for_the_old_one", a_queue_s_new_owner_takes_nothing_that_was_for_the_old_one},
    {"a_sender_s_new_endpoint_ends_what_its_last_had_begun", a_sender_s_new_endpoint_ends_what_its_last_had_begun},
    {"a_card_that_goes_ends_everything", a_card_that_goes_ends_everything},
    {NULL, NULL},
};
