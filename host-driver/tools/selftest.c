/* SPDX-License-Identifier: Apache-2.0 */
/* Each part of a card: works, or what was seen instead. */
#include "tool.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 64, LINE = 64, WAIT_MS = 1000 };

static char seen[256];
static int own_queue = -1; /* of the part "express", for "interrupt" */

/* Keeps what a part saw; 0: it works. */
static int saw(int bad, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int saw(int bad, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(seen, sizeof seen, format, arguments);
    va_end(arguments);
    return bad;
}

/* The card's build id, asked for again, and the driver's files. */
static int registers(ts_card_t *card, const struct options *options)
{
    char id[64];
    uint64_t counts[COUNTERS];

    if (attribute(options->device, "build_id", id, sizeof id)) return saw(1, "build_id in /sys cannot be read: %s", strerror(errno));
    if (strtoul(id, NULL, 0) != ts_info(card)->build_id) return saw(1, "BUILD_ID reads %s, and was 0x%08x when the driver found the card", id, ts_info(card)->build_id);
    if (count_all(options->device, counts)) return saw(1, "the counters in /sys cannot be read: %s", strerror(errno));
    return saw(0, "build id %s", id);
}

/* To itself, through the card's name table and receive queue: every tag that a host has, both priorities. */
static int express(ts_card_t *card, const struct options *options)
{
    int own = ts_express_open(card), result;

    own_queue = own;
    if (own < 0) return saw(1, "%s", ts_strerror(own));
    for (unsigned i = 0; i < MESSAGES; i++) {
        const unsigned tag = i % 32 == 16 ? 0 : i % 32, priority = i / 32;
        const uint32_t word = 0x9E3779B9u * (i + 1);
        ts_express_t came;

        result = ts_express_send(card, ts_name_of_queue(options->site, own), tag, priority, word);
        if (result) return saw(1, "message %u: %s", i, ts_strerror(result));
        result = ts_express_receive(card, &came, WAIT_MS);
        if (result == TS_ERROR_TIMEOUT)
            return saw(1, "message %u to name %d did not come within %d ms: is the card site %d (--site), does its firmware run?", i, ts_name_of_queue(options->site, own), WAIT_MS, options->site);
        if (result) return saw(1, "message %u: %s", i, ts_strerror(result));
        if (came.word != word || came.tag != tag || came.priority != priority || came.from != ts_name_of_queue(options->site, own))
            return saw(1, "message %u: word 0x%08x, tag %u, priority %u of name %d came, sent were 0x%08x, %u, %u of %d", i, came.word, came.tag, came.priority, came.from, word, tag,
                       priority, ts_name_of_queue(options->site, own));
    }
    return saw(0, "%d messages from queue %d to itself, path %s", MESSAGES, own, ts_path(card));
}

/* A message to itself while the card's file is asked to tell of one. */
static int interrupt(ts_card_t *card, const struct options *options)
{
    struct pollfd file = {.fd = ts_file(card), .events = POLLIN};
    uint64_t before[COUNTERS], after[COUNTERS];
    ts_express_t came;
    int result;

    if (own_queue < 0) return saw(1, "there is no queue to be told of");
    if (!ts_sleeps(card)) return saw(0, "the host has no interrupts for this card: who waits polls");
    if (poll(&file, 1, 0)) return saw(1, "the file is readable, and no message waits");
    if (count_all(options->device, before)) return saw(1, "the counters in /sys cannot be read: %s", strerror(errno));
    result = ts_express_send(card, ts_name_of_queue(options->site, own_queue), 0, 0, 1);
    if (!result) result = ts_express_receive(card, &came, WAIT_MS);
    if (result) return saw(1, "%s", ts_strerror(result));
    if (count_all(options->device, after)) return saw(1, "the counters in /sys cannot be read: %s", strerror(errno));
    if (after[INTERRUPTS] == before[INTERRUPTS]) return saw(1, "the card has not interrupted: has its function MSI-X enabled, and is it a bus master (lspci -vv)?");
    return saw(0, "one message, %u interrupt", (unsigned)(uint32_t)(after[INTERRUPTS] - before[INTERRUPTS]));
}

/* To itself, through the rings in the card's memory: every length. */
static int basic(ts_card_t *card, const struct options *options)
{
    int own = ts_basic_open(card), result;

    if (own < 0) return saw(1, "%s", ts_strerror(own));
    for (unsigned bytes = 0; bytes <= TS_BASIC_BYTES; bytes += 8) {
        const int name = ts_name_of_queue(options->site, own - 8);
        unsigned char out[TS_BASIC_BYTES];
        ts_basic_message_t came;

        for (unsigned i = 0; i < bytes; i++) out[i] = i * 31 + bytes;
        result = ts_basic_send(card, name, bytes / 8, out, bytes);
        if (!result) result = ts_basic_receive(card, &came, WAIT_MS);
        if (result) return saw(1, "message of %u bytes to name %d: %s", bytes, name, ts_strerror(result));
        if (came.bytes != bytes || came.tag != bytes / 8 || came.from != name || memcmp(came.payload, out, bytes))
            return saw(1, "message of %u bytes, tag %u, of name %d: another came, of %u bytes, tag %u, of %d", bytes, bytes / 8, name, came.bytes, came.tag, came.from);
    }
    return saw(0, "%d messages of 0 to %d bytes from queue %d to itself", TS_BASIC_BYTES / 8 + 1, TS_BASIC_BYTES, own);
}

/* The last line of the heap, which is put back. */
static int memory(ts_card_t *card, const struct options *options)
{
    const uint64_t at = ts_info(card)->shared_bytes - LINE;
    uint8_t kept[LINE], out[LINE], in[LINE];
    int result;

    (void)options;
    result = ts_load(card, at, kept, LINE);
    for (int round = 0; !result && round < 8; round++) {
        for (int i = 0; i < LINE; i++) out[i] = 1 << (i + round) % 8;
        result = ts_store(card, at, out, LINE);
        if (!result) result = ts_load(card, at, in, LINE);
        for (int i = 0; !result && i < LINE; i++)
            if (in[i] != out[i]) {
                ts_store(card, at, kept, LINE);
                return saw(1, "byte %#llx reads 0x%02x, stored was 0x%02x", (unsigned long long)at + i, in[i], out[i]);
            }
    }
    if (!result) result = ts_store(card, at, kept, LINE);
    if (!result) result = ts_fence(card);
    return result ? saw(1, "%s", ts_strerror(result)) : saw(0, "%d bytes stored and loaded at %#llx", 8 * LINE, (unsigned long long)at);
}

int selftest(const struct options *options)
{
    static const struct {
        const char *name;
        int (*run)(ts_card_t *card, const struct options *options);
    } parts[] = {{"registers", registers}, {"express", express}, {"interrupt", interrupt}, {"basic", basic}, {"shared_memory", memory}};
    ts_card_t *card;
    int result = ts_open(options->device, &card), bad = 0;

    if (result) return complain_code(result);
    begin_result(options);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char line[sizeof seen + 8];
        const int wrong = parts[i].run(card, options);

        bad |= wrong;
        snprintf(line, sizeof line, "%s  %s", wrong ? "FAIL" : "pass", seen);
        text(parts[i].name, line);
    }
    text("result", bad ? "FAIL" : "pass");
    end_result();
    ts_close(card);
    return bad ? FAILED : GOOD;
}
