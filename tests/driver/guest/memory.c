/* Shared memory of the card, through the driver, together with the card's aP and its cache. */
#include "guest.h"
#include "../requests.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct turnstile_info info_of(int file)
{
    struct turnstile_info info = {.argsz = sizeof info};

    CHECK(ioctl(file, TURNSTILE_INFO, &info) == 0);
    return info;
}

/* Where the words that card.c shares are in the file. */
static uint64_t words_of_the_card(int file, const struct turnstile_queue *queue)
{
    struct turnstile_info info = info_of(file);
    uint32_t address;

    ask(file, queue, CARD_WHERE, 0);
    address = answer(file, queue, CARD_WHERE);
    CHECK(address >= info.shared_address && address - info.shared_address < info.shared_bytes);
    return info.shared_offset + (address - info.shared_address);
}

static void a_store_of_the_host_is_seen_by_the_card(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue);
    uint64_t at = words_of_the_card(file, &queue);
    uint32_t i;

    for (i = 0; i < 64; i += 7) {
        uint32_t word = 0xC0DE0000 + i, back;

        CHECK(pwrite(file, &word, 4, at + 4 * i) == 4);
        CHECK(pread(file, &back, 4, at + 4 * i) == 4 && back == word); /* a load fences the store before the message */
        ask(file, &queue, CARD_LOAD, i);
        CHECK(answer(file, &queue, CARD_LOAD) == word);
    }
}

static void a_store_of_the_card_is_seen_by_the_host(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue);
    uint64_t at = words_of_the_card(file, &queue);
    uint32_t i, word;

    for (i = 3; i < 1024; i += 97) {
        ask(file, &queue, CARD_STORE, i);
        CHECK(answer(file, &queue, CARD_STORE) == i);
        CHECK(pread(file, &word, 4, at + 4 * i) == 4 && word == ~i);
    }
}

/* A page that nobody opened: firmware opens it when the host touches it. */
static void much_memory_keeps_what_is_stored(void)
{
    static uint8_t out[5000], in[sizeof out];
    int file = device();
    struct turnstile_info info = info_of(file);
    uint64_t at = info.shared_offset + info.shared_bytes / 2 + 3;
    unsigned i;

    for (i = 0; i < sizeof out; i++) out[i] = i * 7 + i / 256;
    CHECK(pwrite(file, out, sizeof out, at) == sizeof out);
    CHECK(pread(file, in, sizeof in, at) == sizeof in);
    CHECK(memcmp(in, out, sizeof in) == 0);
}

static void nothing_failed(void)
{
    static const char *const names[] = {"unsupported", "aborted", "refused", "malformed", "loads_failed", "stores_failed"};
    char path[128], text[64];
    unsigned i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, SYSFS "counters/%s", names[i]);
        text_of(path, text, sizeof text);
        CHECK(strcmp(text, "0") == 0);
    }
    text_of(SYSFS "fault", text, sizeof text);
    CHECK(strcmp(text, "none") == 0);
}

const struct test memory[] = {
    {"a_store_of_the_host_is_seen_by_the_card", a_store_of_the_host_is_seen_by_the_card},
    {"a_store_of_the_card_is_seen_by_the_host", a_store_of_the_card_is_seen_by_the_host},
    {"much_memory_keeps_what_is_stored", much_memory_keeps_what_is_stored},
    {"nothing_failed", nothing_failed},
    {0},
};
