/*
 * A host of several, each with the card of its site (SITE of SITES, from the kernel's command line). They meet by words of shared memory. The last one is hostile
 * in the last test, until it is killed or stopped.
 */
#include "guest.h"
#include "../requests.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <turnstile_host.h>
#include <unistd.h>

enum { WAIT_MS = 20000, PAGE = 4096, UNREAD = 12 /* messages that a queue has room for */, SERVICES = 1 };
/* When hosts meet: numbers go up. */
enum { EXPRESS_OPEN = 1, EXPRESS_DONE, BASIC_OPEN, BASIC_DONE, MEMORY = 10, APS_DONE = 40, NAMES_OPEN, NAMES_DONE, HOSTILE_OPEN };

static int site, sites;
static ts_card_t *card;

static int number_of(const char *name)
{
    const char *given = getenv(name);

    CHECK(given);
    return atoi(given);
}

/* The card says what the kernel's command line does. */
static void opened(void)
{
    char text[32];

    text_of(SYSFS "site", text, sizeof text);
    CHECK(sscanf(text, "%d %d", &site, &sites) == 2 && site == number_of("SITE") && sites == number_of("SITES"));
    CHECK(ts_open(NULL, &card) == 0);
}

/* The second half of the heap is the hosts': pages that aPs do not allocate. Each host has one for its word, and after all of them are those that a test shares. */
static uint64_t page(int number) { return ts_info(card)->shared_bytes / 2 + (uint64_t)number * PAGE; }

/* While the program of the aPs begins a page may be opened later than the card waits: a load says so, a store is counted. Both are tried again. */
static uint32_t word_of(int host)
{
    uint32_t word;

    do CHECK(ts_load(card, page(host), &word, sizeof word) == 0);
    while (word == TS_NOT_LOADED);
    return word;
}

static void say(uint32_t word)
{
    do CHECK(ts_store(card, page(site), &word, sizeof word) == 0);
    while (word_of(site) != word);
}

/* Until all are there. */
static void meet(uint32_t step)
{
    say(step);
    for (int host = 0; host < sites; host++)
        while (word_of(host) < step) usleep(1000);
}

static uint32_t failed_accesses(void)
{
    char loads[32], stores[32];

    text_of(SYSFS "counters/loads_failed", loads, sizeof loads);
    text_of(SYSFS "counters/stores_failed", stores, sizeof stores);
    return strtoul(loads, NULL, 0) + strtoul(stores, NULL, 0);
}

static int next(void) { return (site + 1) % sites; }
static int previous(void) { return (site + sites - 1) % sites; }

/* So many may be on their way that a queue holds all that its sender is ahead. */
static void express_messages_arrive_in_order_from_each_to_each(void)
{
    enum { MESSAGES = 120 };
    unsigned sent = 0, came = 0;
    int own;

    opened();
    own = ts_express_open(card);
    CHECK(own > 0);
    meet(EXPRESS_OPEN);
    while (came < MESSAGES) {
        ts_express_t message;
        int result;

        if (sent < MESSAGES && sent < came + UNREAD / sites) {
            CHECK(ts_express_send(card, ts_name_of_queue(next(), own), sent % 16, 0, (uint32_t)site << 24 | sent) == 0);
            sent++;
        }
        result = ts_express_poll(card, &message);
        CHECK(result >= 0);
        if (!result) continue;
        CHECK(message.from == ts_name_of_queue(previous(), own) && message.word == ((uint32_t)previous() << 24 | came) && message.tag == came % 16);
        came++;
    }
    meet(EXPRESS_DONE);
}

static void fill(unsigned char *to, unsigned bytes, int of, unsigned number)
{
    for (unsigned i = 0; i < bytes; i++) to[i] = i * 31 + number * 7 + (unsigned)of * 101;
}

static void basic_messages_of_any_length_arrive_in_order_from_each_to_each(void)
{
    enum { MESSAGES = 60, STEP = 13 };
    unsigned sent = 0, came = 0;
    unsigned char bytes[TS_BASIC_BYTES];
    const char *why;
    int own;

    opened();
    own = ts_basic_open(card);
    CHECK(own > 8);
    meet(BASIC_OPEN);
    while (came < MESSAGES) {
        ts_basic_message_t message;
        int result;

        if (sent < MESSAGES && sent < came + UNREAD / sites) {
            const unsigned length = sent * STEP % (TS_BASIC_BYTES + 1);

            fill(bytes, length, site, sent);
            CHECK(ts_basic_send(card, ts_name_of_queue(next(), own - 8), sent % 16, bytes, length) == 0);
            sent++;
        }
        result = ts_basic_poll(card, &message);
        CHECK(result >= 0);
        if (!result) continue;
        fill(bytes, message.bytes, previous(), came);
        CHECK(message.from == ts_name_of_queue(previous(), own - 8) && message.tag == came % 16 && message.bytes == came * STEP % (TS_BASIC_BYTES + 1));
        CHECK(!memcmp(message.payload, bytes, message.bytes));
        came++;
    }
    CHECK(ts_basic_refused(card, &why) == 0);
    meet(BASIC_DONE);
}

/* Each in turn writes pages of all homes, which the others read. */
static void what_one_host_stores_the_others_load(void)
{
    enum { ROUNDS = 4, BYTES = 200, AT = 3001 };
    unsigned char out[BYTES], in[BYTES];
    uint32_t failed;

    opened();
    failed = failed_accesses();
    for (int round = 0; round < ROUNDS; round++) {
        for (int home = 0; home < sites && round % sites == site; home++) {
            fill(out, BYTES, round, home);
            CHECK(ts_store(card, page(sites + home) + AT, out, BYTES) == 0);
        }
        CHECK(ts_fence(card) == 0);
        meet(MEMORY + 2 * round);
        for (int home = 0; home < sites; home++) {
            fill(out, BYTES, round, home);
            CHECK(ts_load(card, page(sites + home) + AT, in, BYTES) == 0 && !memcmp(in, out, BYTES));
        }
        meet(MEMORY + 2 * round + 1);
    }
    CHECK(failed_accesses() == failed);
}

/* Of an aP, which serves since many cycles ago, with what it is to do as the tag; others' messages are passed over. */
static uint32_t asked(int of, unsigned request, uint32_t word)
{
    ts_express_t came;

    CHECK(ts_express_send(card, ts_name_of_ap(of, 0), request, 0, word) == 0);
    do CHECK(ts_express_receive(card, &came, WAIT_MS) == 0);
    while (came.from != ts_name_of_ap(of, 0) || came.tag != request);
    return came.word;
}

static void aps_of_all_cards_serve_each_host(void)
{
    int own;

    opened();
    CHECK(ts_express_open(card) > 0);
    own = ts_basic_open(card);
    CHECK(own > 8);
    for (int of = 0; of < sites; of++) {
        const uint32_t number = 100 * (site + 1) + of;
        const uint64_t at = asked(of, CARD_WHERE, 0) - ts_info(card)->shared_address + 4 * number;
        unsigned char bytes[TS_BASIC_BYTES];
        ts_basic_message_t message;
        uint32_t word;

        CHECK(asked(of, CARD_ADD_ONE, number) == number + 1);
        CHECK(asked(of, CARD_STORE, number) == number && ts_load(card, at, &word, 4) == 0 && word == ~number);
        word = 0xC0DE0000 + number;
        CHECK(ts_store(card, at, &word, 4) == 0 && ts_fence(card) == 0 && asked(of, CARD_LOAD, number) == word);
        fill(bytes, TS_BASIC_BYTES, site, of);
        CHECK(ts_basic_send(card, ts_name_of_ap(of, 0), 1, bytes, TS_BASIC_BYTES) == 0 && ts_basic_receive(card, &message, WAIT_MS) == 0);
        CHECK(message.from == ts_name_of_ap(of, 0) && message.bytes == TS_BASIC_BYTES);
        for (unsigned i = 0; i < TS_BASIC_BYTES; i++) CHECK(message.payload[i] == (unsigned char)~bytes[i]);
    }
    meet(APS_DONE);
}

/* sPs of all sites, aPs and sites that are not there: the message is dropped where it is sent. */
static void names_that_no_host_has_reach_nobody(void)
{
    struct turnstile_queue queue;
    ts_express_t came;
    int raw = device_with_queue(&queue);
    uint32_t word = 0;

    opened();
    CHECK(ts_express_open(card) > 0);
    meet(NAMES_OPEN);
    for (int name = 0; name < 512; name += name < 8 * sites ? 1 : 61) {
        const int k = name & 7, there = name < 8 * sites && (k == 2 || k >= 6);

        if (!there) CHECK(pwrite(raw, &word, 4, queue.send_offset + (EXPRESS_TX_TAG(SERVICES) | EXPRESS_TX_DEST(name))) == 4);
    }
    for (int of = 0; of < sites; of++) CHECK(asked(of, CARD_ADD_ONE, of) == (uint32_t)of + 1);
    meet(NAMES_DONE);
    CHECK(ts_express_poll(card, &came) == 0 && !is_message(poll_once(raw, &queue)));
}

static unsigned seed(void)
{
    const char *given = getenv("SEED");
    unsigned value = given ? strtoul(given, NULL, 0) : 1;

    printf("guest: SEED=%u\n", value);
    return value;
}

static uint32_t any_word(void) { return (uint32_t)rand() << 16 ^ (uint32_t)rand(); }

/* Who may make aPs sleep owns them; all else is tried. Floods of names of all sites but the queue that the others read; slots, pointers, offsets and ioctls of any kind; stores into the pages beyond those of the others. */
static void be_hostile(int file, const struct turnstile_queue *express, const struct turnstile_queue *basic)
{
    const int name = rand() % (8 * sites), flood = (name & 7) == 6 ? name + 1 : name, tag = rand() % 32;
    uint32_t slot[8], word = any_word();
    uint64_t at = page(2 * sites + 1 + rand() % 200) + rand() % PAGE;

    for (int i = 0; i < 8; i++) slot[i] = any_word();
    switch (rand() % 5) {
    case 0:
        for (int i = 0; i < 40; i++) CHECK(pwrite(file, &word, 4, express->send_offset + (EXPRESS_TX_TAG(CARD_COUNT) | EXPRESS_TX_DEST(flood))) == 4);
        break;
    case 1: pwrite(file, &word, 4, express->send_offset + (EXPRESS_TX_TAG(tag == CARD_SLEEP ? CARD_COUNT : tag) | EXPRESS_TX_DEST(flood) | EXPRESS_TX_PRIO(rand() % 2))); break;
    case 2:
        slot[0] = (slot[0] & 0x7C000000u) | (slot[0] >> 16 & 127) << 16 | (uint32_t)flood;
        pwrite(file, slot, sizeof slot, basic->ring_offset + rand() % 16 * 128);
        pread(file, &word, 4, basic->receive_offset + AP_BASIC_TX_PRODUCER);
        word = rand() % 3 ? word + rand() % 18 : any_word();
        pwrite(file, &word, 4, basic->receive_offset + AP_BASIC_TX_PRODUCER);
        break;
    case 3: ioctl(file, _IO(TURNSTILE_IOCTL_MAGIC, rand() % 4), slot); break;
    case 4: ts_store(card, at, slot, sizeof slot); break;
    }
}

static void hostile(void)
{
    enum { UNTIL = 80 };
    struct turnstile_queue express, basic = {.argsz = sizeof basic, .flags = TURNSTILE_QUEUE_BASIC};
    const char *end = getenv("END");
    int file = device_with_queue(&express);

    CHECK(ioctl(file, TURNSTILE_QUEUE_GET, &basic) == 0);
    srand(seed());
    for (uint32_t done = 0;; done++) {
        be_hostile(file, &express, &basic);
        say(HOSTILE_OPEN + 1 + done);
        if (done == UNTIL) printf("guest: %s me\n", end ? end : "kill");
    }
}

/* All that the others do, while the last one is hostile and when it has been killed or stands still: its words come no more. */
static void who_is_hostile_and_ends_stops_nobody(void)
{
    enum { SILENT_S = 3, AFTER = 5 };
    uint32_t heard = 0, word;
    time_t since = time(NULL);
    int own, last, beside = 0, after = 0;

    opened();
    last = sites - 1;
    if (site == last) hostile();
    own = ts_express_open(card);
    CHECK(own > 0);
    meet(HOSTILE_OPEN);
    while (after < AFTER) {
        const uint32_t now = word_of(last);
        ts_express_t came;

        if (now != heard) since = time(NULL);
        after += time(NULL) - since > SILENT_S;
        beside += !after;
        heard = now;
        for (int of = 0; of < sites; of++) CHECK(asked(of, CARD_ADD_ONE, of) == (uint32_t)of + 1);
        CHECK(ts_express_send(card, ts_name_of_queue(site, own), 3, 0, heard) == 0);
        do CHECK(ts_express_receive(card, &came, WAIT_MS) == 0);
        while (came.from != ts_name_of_queue(site, own));
        CHECK(came.word == heard);
        for (int home = 0; home < sites; home++) {
            const uint32_t out = heard * sites + home;
            const uint64_t at = page(sites + home) + 4 * site;

            CHECK(ts_store(card, at, &out, 4) == 0 && ts_fence(card) == 0 && ts_load(card, at, &word, 4) == 0 && word == out);
        }
    }
    printf("guest: %d rounds beside a hostile host, %d after it\n", beside, after);
    CHECK(beside >= 3);
}

const struct test cluster[] = {
    {"express_messages_arrive_in_order_from_each_to_each", express_messages_arrive_in_order_from_each_to_each},
    {"basic_messages_of_any_length_arrive_in_order_from_each_to_each", basic_messages_of_any_length_arrive_in_order_from_each_to_each},
    {"what_one_host_stores_the_others_load", what_one_host_stores_the_others_load},
    {"aps_of_all_cards_serve_each_host", aps_of_all_cards_serve_each_host},
    {"names_that_no_host_has_reach_nobody", names_that_no_host_has_reach_nobody},
    {"who_is_hostile_and_ends_stops_nobody", who_is_hostile_and_ends_stops_nobody},
    {0},
};
