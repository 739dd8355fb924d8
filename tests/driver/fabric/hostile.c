/* Random segments into the receive path: nothing is touched that is not the provider's (the sanitizers look), nothing grows, and an honest peer's messages arrive beside it. */
#include "world.h"

enum { SEGMENTS = 60000, HOSTILE = 3 << 3 | 6 };

static void some_bytes(uint8_t *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) to[i] = standin_random();
}

/* Random bytes; or nearly right, so that they come far. */
static unsigned hostile_segment(uint8_t *to, struct host *victim, uint16_t *number, uint32_t epoch)
{
    struct segment head = {
        .kind = standin_random() % 6, .want = standin_random(), .window = standin_random(), .to = victim->address.epoch, .from = epoch,
        .number = standin_random() % 8 ? *number : standin_random(), .ack = standin_random() % 4 ? 0 : standin_random(),
    };
    struct message message = {
        .bytes = standin_random() % 4 ? standin_random() % 200 : standin_random(), .operation = standin_random() % 7, .flags = standin_random() % 12, .call = standin_random() % 70,
        .tag = standin_random() % 8 ? standin_random() % 300 : ~standin_random(), .data = standin_random() % 300, .key = standin_random() % 3,
    };
    unsigned bytes = sizeof head;

    some_bytes(to, TS_BASIC_BYTES);
    if (standin_random() % 16 == 0) return standin_random() % (TS_BASIC_BYTES + 1);
    memcpy(to, &head, sizeof head);
    if (head.kind == SEGMENT_FIRST) {
        memcpy(to + sizeof head, &message, sizeof message);
        bytes += sizeof message + (message.bytes < FIRST_BYTES ? message.bytes : FIRST_BYTES);
    } else if (head.kind == SEGMENT_MORE) {
        bytes += standin_random() % (MORE_BYTES + 1);
    }
    *number += head.kind == SEGMENT_FIRST || head.kind == SEGMENT_MORE;
    return bytes;
}

static void a_hostile_sender_breaks_nothing_and_nobody(void)
{
    static uint8_t memory[256], from[200], to[200];
    struct host a, b;
    struct fid_mr *region;
    uint16_t number = 0;
    uint32_t epoch = 1;
    unsigned long messages = 0, sent = 0, kept = 0;
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;
    struct peer *peer;

    host_open(&a, 0);
    host_open(&b, 1);
    CHECK(known(&a, &b) == 0 && known(&b, &a) == 0);
    container_of(a.domain, struct domain, fid)->patience = container_of(b.domain, struct domain, fid)->patience = 1000000;
    CHECK(fi_mr_reg(b.domain, memory, sizeof memory, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 1, 0, &region, NULL) == 0);
    for (int i = 0; i < SEGMENTS; i++) {
        uint8_t segment[TS_BASIC_BYTES];
        unsigned bytes = hostile_segment(segment, &b, &number, epoch);

        standin_send(HOSTILE, b.address.name, segment, bytes);
        if (standin_random() % 16 == 0) epoch++, number = 0;
        if (standin_random() % 4 == 0) number = 0;
        if (sent == messages) {
            some_bytes(from, sizeof from);
            CHECK(fi_tsend(a.ep, from, sizeof from, NULL, 0, 1000, &a) == 0 && fi_trecv(b.ep, to, sizeof to, NULL, FI_ADDR_UNSPEC, 1000, 0, to) == 0);
            sent++;
        }
        progress(inside(&a));
        while (completion(&b, &entry, &error, &a, 1) == 1) {
            if (entry.op_context != to) continue; /* a write of the hostile one, with data */
            CHECK(entry.len == sizeof to && !memcmp(from, to, sizeof to));
            messages++;
        }
        while (completion(&a, &entry, &error, &b, 1) == 1) CHECK(entry.op_context == &a);
    }
    LIST_FOREACH(peer, &inside(&b)->peers, entry) kept++;
    CHECK(messages > 100 && kept <= 2 && !standin.full);
    CHECK(inside(&b)->refused.malformed > 1000 && inside(&b)->refused.stray > 1000 && inside(&b)->refused.faulty > 100);
    CHECK(fi_close(&region->fid) == 0);
    host_close(&a);
    host_close(&b);
}

/* Each with an epoch of its own, so that each is the first of its sender. */
static void new_epochs_of_a_sender_gain_no_memory(void)
{
    enum { EPOCHS = 20000, TAG = 5 };
    static uint8_t memory[16];
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;
    struct fid_mr *region;
    struct unexpected *message;
    struct host b;
    size_t kept = 0, received = 0;
    uint8_t to[16];

    host_open(&b, 1);
    CHECK(fi_mr_reg(b.domain, memory, sizeof memory, FI_REMOTE_WRITE, 0, 1, 0, &region, NULL) == 0);
    for (int i = 0; i < 2 * EPOCHS; i++) {
        const struct segment head = {.kind = SEGMENT_FIRST, .to = b.address.epoch, .from = i + 1};
        const struct message first = i % 2 ? (struct message){.operation = OPERATION_TAGGED, .tag = TAG} : (struct message){.operation = OPERATION_WRITE, .flags = WITH_DATA, .key = 1};
        uint8_t segment[sizeof head + sizeof first];

        memcpy(segment, &head, sizeof head);
        memcpy(segment + sizeof head, &first, sizeof first);
        CHECK(standin_send(HOSTILE, b.address.name, segment, sizeof segment));
        progress(inside(&b));
        if (i == EPOCHS) CHECK(container_of(b.cq, struct completions, fid)->told <= DEPTH);
        if (i >= EPOCHS) while (completion(&b, &entry, &error, NULL, 1) == 1) continue;
    }
    TAILQ_FOREACH(message, &inside(&b)->tagged_unexpected, entry) kept += message->counted;
    CHECK(kept >= BUFFERED && kept <= BUFFERED + 2 * MESSAGE_COSTS);
    while (!TAILQ_EMPTY(&inside(&b)->tagged_unexpected)) {
        CHECK(fi_trecv(b.ep, to, sizeof to, NULL, FI_ADDR_UNSPEC, TAG, 0, to) == 0 && completion(&b, &entry, &error, NULL, 1) == 1);
        received++;
    }
    CHECK(received == kept / MESSAGE_COSTS);
    CHECK(fi_close(&region->fid) == 0);
    host_close(&b);
}

static void a_payload_longer_than_its_message_is_refused(void)
{
    enum { REGION = 256, LONG = FIRST_BYTES + 10 };
    struct {
        struct segment head;
        struct message message;
        uint8_t payload[FIRST_BYTES];
    } first = {{.kind = SEGMENT_FIRST, .from = 7}, {.bytes = LONG, .operation = OPERATION_WRITE, .tag = REGION - LONG, .key = 1}, {0}};
    struct {
        struct segment head;
        uint8_t payload[MORE_BYTES];
    } more = {{.kind = SEGMENT_MORE, .from = 7, .number = 1}, {0}};
    uint8_t *memory = calloc(1, REGION);
    struct fid_mr *region;
    struct host b;

    host_open(&b, 1);
    CHECK(fi_mr_reg(b.domain, memory, REGION, FI_REMOTE_WRITE, 0, 1, 0, &region, NULL) == 0);
    first.head.to = more.head.to = b.address.epoch;
    CHECK(standin_send(HOSTILE, b.address.name, &first, sizeof first));
    progress(inside(&b));
    CHECK(LIST_FIRST(&inside(&b)->peers)->region != NULL);
    CHECK(standin_send(HOSTILE, b.address.name, &more, sizeof more));
    progress(inside(&b));
    CHECK(inside(&b)->refused.faulty == 1 && LIST_FIRST(&inside(&b)->peers)->dead == REFUSED_FAULTY);
    CHECK(fi_close(&region->fid) == 0);
    free(memory);
    host_close(&b);
}

static void a_flood_of_strays_leaves_room_to_send(void)
{
    const struct segment stray = {.kind = SEGMENT_PROBE, .to = 1, .from = 1};
    struct host a, b;
    uint8_t bytes[30] = {0}, to[30];
    unsigned long before;

    host_open(&a, 0);
    host_open(&b, 1);
    CHECK(known(&a, &b) == 0 && known(&b, &a) == 0);
    for (int i = 0; i < 50; i++) CHECK(standin_send(HOSTILE, a.address.name, &stray, sizeof stray));
    CHECK(fi_recv(a.ep, to, sizeof to, NULL, 0, to) == 0);
    before = standin.sent;
    progress(inside(&a));
    CHECK(standin.sent - before > 0 && standin.sent - before < 16);
    CHECK(fi_send(a.ep, bytes, sizeof bytes, NULL, 0, &a) == 0);
    host_close(&a);
    host_close(&b);
}

/* A peer that answers a write before it has acknowledged it: the write's segment is still kept, to be sent again. */
static void a_reply_ends_only_what_has_reached_its_peer(void)
{
    const struct address liar = {.name = HOSTILE, .epoch = 77};
    struct segment head = {.kind = SEGMENT_FIRST, .from = liar.epoch};
    const struct message message = {.operation = OPERATION_REPLY};
    uint8_t segment[sizeof head + sizeof message], bytes[200] = {0};
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;
    struct host a;
    fi_addr_t at;

    host_open(&a, 0);
    CHECK(fi_av_insert(a.av, &liar, 1, &at, 0, NULL) == 1);
    CHECK(fi_write(a.ep, bytes, 10, NULL, at, 0, 1, &a) == 0);
    head.to = a.address.epoch;
    memcpy(segment, &head, sizeof head);
    memcpy(segment + sizeof head, &message, sizeof message);
    CHECK(standin_send(HOSTILE, a.address.name, segment, sizeof segment));
    CHECK(completion(&a, &entry, &error, NULL, 10) == -FI_EAVAIL && error.prov_errno == REFUSED_FAULTY);
    host_close(&a);
}

/* One without credit fills the ring: honest messages are lost, and sent again. */
static void a_flood_loses_no_message(void)
{
    enum { MESSAGES = 30, BYTES = 200 };
    static uint8_t from[MESSAGES][BYTES], to[MESSAGES][BYTES];
    struct host a, b;
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;
    uint8_t segment[TS_BASIC_BYTES] = {0};
    int done = 0;

    host_open(&a, 0);
    host_open(&b, 1);
    CHECK(known(&a, &b) == 0 && known(&b, &a) == 0);
    container_of(a.domain, struct domain, fid)->patience = container_of(b.domain, struct domain, fid)->patience = 1000000;
    for (int i = 0; i < MESSAGES; i++) {
        some_bytes(from[i], BYTES);
        CHECK(fi_recv(b.ep, to[i], BYTES, NULL, 0, to[i]) == 0 && fi_send(a.ep, from[i], BYTES, NULL, 0, from[i]) == 0);
    }
    while (done < MESSAGES) {
        for (unsigned i = standin_random() % 100; i; i--) standin_send(HOSTILE, b.address.name, segment, sizeof segment);
        progress(inside(&a));
        if (completion(&b, &entry, &error, NULL, 1) != 1) continue;
        CHECK(entry.op_context == to[done] && !memcmp(to[done], from[done], BYTES));
        done++;
    }
    CHECK(standin.full > 0);
    host_close(&a);
    host_close(&b);
}

const struct test hostile_tests[] = {
    {"a_hostile_sender_breaks_nothing_and_nobody", a_hostile_sender_breaks_nothing_and_nobody},
    {"new_epochs_of_a_sender_gain_no_memory", new_epochs_of_a_sender_gain_no_memory},
    {"a_payload_longer_than_its_message_is_refused", a_payload_longer_than_its_message_is_refused},
    {"a_flood_of_strays_leaves_room_to_send", a_flood_of_strays_leaves_room_to_send},
    {"a_reply_ends_only_what_has_reached_its_peer", a_reply_ends_only_what_has_reached_its_peer},
    {"a_flood_loses_no_message", a_flood_loses_no_message},
    {NULL, NULL},
};
