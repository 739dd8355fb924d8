/* What applications are promised. */
#include "world.h"

enum { TRIES = 200000, BIG = 20000 };

static void messages_of_any_size_arrive_whole_and_in_order(void)
{
    static const size_t sizes[] = {0, 1, 39, 40, 41, 111, 112, 113, 1000, 4096, BIG};
    struct host a, b;
    static uint8_t from[BIG], to[BIG];

    two(&a, &b);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fill(from, sizes[i], i);
        memset(to, 0, sizeof to);
        if (i % 2) CHECK(fi_trecv(b.ep, to, sizes[i], NULL, FI_ADDR_UNSPEC, i, 0, to) == 0);
        CHECK(fi_tsend(a.ep, from, sizes[i], NULL, 0, i, from) == 0);
        if (!(i % 2)) {
            run_both(&a, &b, 1000);
            CHECK(fi_trecv(b.ep, to, sizes[i], NULL, 0, i, 0, to) == 0);
        }
        expect(&b, &a, to, sizes[i], i);
        expect(&a, &b, from, sizes[i], 0);
        CHECK(!memcmp(from, to, sizes[i]));
    }
    CHECK(!standin.full && standin.most[a.address.name] <= STANDIN_SLOTS);
    close_two(&a, &b);
}

static void writes_and_reads_stay_within_their_region(void)
{
    enum { BYTES = 1000, KEY = 7 };
    static uint8_t memory[BYTES], bytes[BYTES];
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;
    struct fid_mr *region, *other;
    struct host a, b;

    two(&a, &b);
    CHECK(fi_mr_reg(b.domain, memory, BYTES, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, KEY, 0, &region, NULL) == 0);
    CHECK(fi_mr_reg(b.domain, memory, BYTES, FI_REMOTE_READ, 0, KEY, 0, &other, NULL) == -FI_ENOKEY);
    CHECK(fi_mr_reg(b.domain, memory, BYTES, FI_REMOTE_READ, 0, KEY + 1, 0, &other, NULL) == 0);
    fill(bytes, BYTES, 3);
    CHECK(fi_writedata(a.ep, bytes, BYTES - 10, NULL, 99, 0, 10, KEY, &a) == 0);
    CHECK(completion(&b, &entry, &error, &a, TRIES) == 1 && entry.data == 99 && entry.flags == (FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA) && entry.len == BYTES - 10);
    expect(&a, &b, &a, BYTES - 10, 0);
    CHECK(!memcmp(memory + 10, bytes, BYTES - 10));
    memset(bytes, 0, BYTES);
    CHECK(fi_read(a.ep, bytes, BYTES, NULL, 0, 0, KEY + 1, &a) == 0);
    expect(&a, &b, &a, BYTES, 0);
    CHECK(!memcmp(memory, bytes, BYTES));
    memset(bytes, 1, BYTES);
    CHECK(fi_write(a.ep, bytes, 11, NULL, 0, BYTES - 10, KEY, &a) == 0);
    expect_error(&a, &b, &a, FI_EINVAL, REFUSED_RANGE);
    CHECK(fi_write(a.ep, bytes, 11, NULL, 0, UINT64_MAX - 5, KEY, &a) == 0);
    expect_error(&a, &b, &a, FI_EINVAL, REFUSED_RANGE);
    CHECK(fi_write(a.ep, bytes, 11, NULL, 0, 0, KEY + 1, &a) == 0);
    expect_error(&a, &b, &a, FI_EKEYREJECTED, REFUSED_KEY);
    CHECK(fi_read(a.ep, bytes, 11, NULL, 0, 0, KEY + 2, &a) == 0);
    expect_error(&a, &b, &a, FI_EKEYREJECTED, REFUSED_KEY);
    for (int i = 0; i < 10; i++) CHECK(memory[i] == 0);
    CHECK(fi_close(&region->fid) == 0 && fi_close(&other->fid) == 0);
    close_two(&a, &b);
}

/* The region goes while it is read and written. */
static void a_region_that_is_closed_is_touched_no_more(void)
{
    enum { BYTES = 40000 };
    static uint8_t bytes[BYTES];
    uint8_t *memory = malloc(BYTES);
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry error;
    struct fid_mr *region;
    struct host a, b;

    two(&a, &b);
    CHECK(fi_mr_reg(b.domain, memory, BYTES, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 1, 0, &region, NULL) == 0);
    CHECK(fi_write(a.ep, bytes, BYTES, NULL, 0, 0, 1, &a) == 0);
    run_both(&a, &b, 20);
    CHECK(LIST_FIRST(&inside(&b)->peers)->region != NULL);
    CHECK(fi_close(&region->fid) == 0);
    memset(memory, 0xEE, BYTES);
    expect_error(&a, &b, &a, FI_EKEYREJECTED, REFUSED_KEY);
    for (int i = 0; i < BYTES; i++) CHECK(memory[i] == 0xEE);
    CHECK(fi_mr_reg(b.domain, memory, BYTES, FI_REMOTE_READ, 0, 2, 0, &region, NULL) == 0);
    CHECK(fi_read(a.ep, bytes, BYTES, NULL, 0, 0, 2, &b) == 0);
    run_both(&a, &b, 20);
    CHECK(fi_close(&region->fid) == 0);
    free(memory);
    CHECK(completion(&a, &entry, &error, &b, TRIES) == -FI_EAVAIL && error.op_context == &b);
    close_two(&a, &b);
}

static void tags_choose_and_peeks_claim(void)
{
    struct host a, b;
    uint8_t one[100] = {1}, two_bytes[200] = {2}, to[200];
    struct fi_msg_tagged peek = {.addr = FI_ADDR_UNSPEC, .tag = 2, .context = &peek};
    struct iovec iov = {to, sizeof to};
    struct fi_msg_tagged claim = {.msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .tag = 2, .context = &peek};

    two(&a, &b);
    CHECK(fi_tsend(a.ep, one, sizeof one, NULL, 0, 1, &a) == 0 && fi_tsend(a.ep, two_bytes, sizeof two_bytes, NULL, 0, 2, &b) == 0);
    expect(&a, &b, &a, sizeof one, 0);
    expect(&a, &b, &b, sizeof two_bytes, 0);
    peek.tag = 3;
    CHECK(fi_trecvmsg(b.ep, &peek, FI_PEEK) == 0);
    expect_error(&b, &a, &peek, FI_ENOMSG, REFUSED_NO_MESSAGE);
    peek.tag = 2;
    CHECK(fi_trecvmsg(b.ep, &peek, FI_PEEK | FI_CLAIM) == 0);
    expect(&b, &a, &peek, sizeof two_bytes, 2);
    CHECK(fi_trecv(b.ep, to, sizeof to, NULL, 0, 2, 0, &a) == 0); /* it is claimed */
    CHECK(fi_trecvmsg(b.ep, &claim, FI_CLAIM) == 0);
    expect(&b, &a, &peek, sizeof two_bytes, 2);
    CHECK(to[0] == 2 && fi_cancel(&b.ep->fid, &a) == 0 && fi_cancel(&b.ep->fid, &a) == -FI_ENOENT);
    expect_error(&b, &a, &a, FI_ECANCELED, REFUSED_CANCELED);
    CHECK(fi_trecv(b.ep, to, 10, NULL, 0, 0, ~UINT64_C(0), &b) == 0);
    expect_error(&b, &a, &b, FI_ETRUNC, REFUSED_CUT);
    close_two(&a, &b);
}

static void an_inject_leaves_in_the_call_or_is_refused(void)
{
    struct host a, b;
    uint8_t bytes[FIRST_BYTES + 1] = {0}, to[FIRST_BYTES];
    int left = 0;

    two(&a, &b);
    CHECK(a.info->tx_attr->inject_size == FIRST_BYTES && fi_inject(a.ep, bytes, FIRST_BYTES + 1, 0) == -FI_EMSGSIZE);
    while (fi_inject(a.ep, bytes, FIRST_BYTES, 0) == 0) {
        left++;
        CHECK(fi_recv(b.ep, to, sizeof to, NULL, 0, to) == 0);
    }
    CHECK(left == 1); /* the credit of who is new */
    expect(&b, NULL, to, sizeof to, 0);
    close_two(&a, &b);
}

/* The table of docs/design/fabric.md: segments that a message takes, and acknowledgements, when both sides read all the time. */
static void a_message_takes_the_segments_that_the_page_says(void)
{
    static const struct {
        size_t bytes;
        unsigned segments, answers;
    } costs[] = {{0, 1, 1}, {40, 1, 1}, {41, 2, 2}, {112, 2, 2}, {1500, 22, 3}, {65536, 911, 71}};
    static uint8_t bytes[65536], to[65536];
    struct host a, b;

    two(&a, &b);
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        const unsigned long before = standin.sent;
        struct peer *peer = peer_of(inside(&a), &b.address);
        const uint16_t next = peer->next;

        CHECK(fi_recv(b.ep, to, sizeof to, NULL, 0, to) == 0 && fi_send(a.ep, bytes, costs[i].bytes, NULL, 0, &a) == 0);
        expect(&b, &a, to, costs[i].bytes, 0);
        expect(&a, &b, &a, costs[i].bytes, 0);
        printf("bytes %zu segments %u answers %lu\n", costs[i].bytes, (uint16_t)(peer->next - next), standin.sent - before - costs[i].segments);
        CHECK((uint16_t)(peer->next - next) == costs[i].segments && standin.sent - before == costs[i].segments + costs[i].answers);
    }
    close_two(&a, &b);
}

static void who_sleeps_is_woken_by_a_message_and_by_a_signal(void)
{
    struct host a, b;
    struct fi_cq_tagged_entry entry;
    struct fid *fids[1];
    uint8_t bytes[10] = {0}, to[10];

    two(&a, &b);
    fids[0] = &b.cq->fid;
    CHECK(fi_cq_sread(b.cq, &entry, 1, NULL, 5) == -FI_EAGAIN);
    CHECK(b.fabric->ops->trywait(b.fabric, fids, 1) == 0);
    CHECK(fi_recv(b.ep, to, sizeof to, NULL, 0, to) == 0 && fi_send(a.ep, bytes, sizeof bytes, NULL, 0, &a) == 0);
    CHECK(b.fabric->ops->trywait(b.fabric, fids, 1) == -FI_EAGAIN);
    CHECK(fi_cq_sread(b.cq, &entry, 1, NULL, -1) == 1 && entry.op_context == to);
    CHECK(fi_cq_sread(a.cq, &entry, 1, NULL, -1) == 1 && entry.op_context == &a);
    CHECK(fi_cq_signal(b.cq) == 0 && fi_cq_sread(b.cq, &entry, 1, NULL, -1) == -FI_EAGAIN);
    close_two(&a, &b);
}

static void hints_that_ask_for_more_find_nothing(void)
{
    static const struct {
        uint64_t caps;
        int type, progress;
        uint32_t mr_mode;
        size_t bytes;
        int found;
    } asked[] = {
        {FI_MSG, FI_EP_RDM, 0, 0, 0, 1}, {FI_MSG | FI_ATOMIC, FI_EP_RDM, 0, 0, 0, 0}, {FI_MSG, FI_EP_MSG, 0, 0, 0, 0}, {FI_MSG, FI_EP_RDM, FI_PROGRESS_AUTO, 0, 0, 0},
        {FI_MSG, FI_EP_RDM, FI_PROGRESS_MANUAL, FI_MR_BASIC, 0, 0}, {FI_TAGGED, FI_EP_UNSPEC, 0, 0, MAX_MESSAGE, 1}, {FI_TAGGED, FI_EP_UNSPEC, 0, 0, MAX_MESSAGE + 1UL, 0},
    };
    struct fi_info *hints, *info;

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        hints = fi_allocinfo();
        hints->caps = asked[i].caps;
        hints->ep_attr->type = asked[i].type;
        hints->ep_attr->max_msg_size = asked[i].bytes;
        hints->domain_attr->data_progress = asked[i].progress;
        hints->domain_attr->mr_mode = asked[i].mr_mode;
        CHECK(turnstile_provider.getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info) == (asked[i].found ? 0 : -FI_ENODATA));
        fi_freeinfo(info);
        fi_freeinfo(hints);
    }
}

static void an_address_is_its_text_and_back(void)
{
    static const char *const wrong[] = {"turnstile://0/5/1", "turnstile://64/6/1", "turnstile://0/6/0", "turnstile://0/6", "turnstile://0/6/1x", "tcp://0/6/1", ""};
    struct host a, b;
    char text[64];
    size_t bytes = sizeof text;
    struct address found;
    fi_addr_t at[2];

    two(&a, &b);
    CHECK(fi_av_straddr(a.av, &b.address, text, &bytes) == text && bytes == strlen(text) + 1);
    CHECK(fi_av_insertsvc(a.av, text, NULL, at, 0, NULL) == 1);
    bytes = sizeof found;
    CHECK(fi_av_lookup(a.av, at[0], &found, &bytes) == 0 && !memcmp(&found, &b.address, sizeof found));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(fi_av_insertsvc(a.av, wrong[i], NULL, at, 0, NULL) == -FI_EINVAL);
    found = (struct address){.name = 5, .epoch = 1};
    CHECK(fi_av_insert(a.av, &found, 1, at, 0, NULL) == 0 && at[0] == FI_ADDR_NOTAVAIL);
    at[0] = 0;
    CHECK(fi_av_remove(a.av, at, 1, 0) == 0 && fi_send(a.ep, text, 1, NULL, 0, NULL) == -FI_EINVAL && fi_send(a.ep, text, 1, NULL, 1000, NULL) == -FI_EINVAL);
    close_two(&a, &b);
}

const struct test message_tests[] = {
    {"messages_of_any_size_arrive_whole_and_in_order", messages_of_any_size_arrive_whole_and_in_order},
    {"writes_and_reads_stay_within_their_region", writes_and_reads_stay_within_their_region},
    {"a_region_that_is_closed_is_touched_no_more", a_region_that_is_closed_is_touched_no_more},
    {"tags_choose_and_peeks_claim", tags_choose_and_peeks_claim},
    {"an_inject_leaves_in_the_call_or_is_refused", an_inject_leaves_in_the_call_or_is_refused},
    {"a_message_takes_the_segments_that_the_page_says", a_message_takes_the_segments_that_the_page_says},
    {"who_sleeps_is_woken_by_a_message_and_by_a_signal", who_sleeps_is_woken_by_a_message_and_by_a_signal},
    {"hints_that_ask_for_more_find_nothing", hints_that_ask_for_more_find_nothing},
    {"an_address_is_its_text_and_back", an_address_is_its_text_and_back},
    {NULL, NULL},
};
