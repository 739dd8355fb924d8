/* SPDX-License-Identifier: Apache-2.0 */
/* What a message costs: to itself and back, one after another. Stores and loads are those that reach the card. */
#include "tool.h"
#include <stdio.h>
#include <time.h>

enum { WAIT_S = 10, BLOCK = 4096, BLOCKS = 8 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

/* Loads that it took to get the message; below 0: a code. */
static long take(ts_card_t *card)
{
    const double end = now() + WAIT_S;
    ts_express_t message;

    for (long loads = 1;; loads++) {
        int result = ts_express_poll(card, &message);

        if (result) return result < 0 ? result : loads;
        if (now() > end) return TS_ERROR_TIMEOUT;
    }
}

static int messages(ts_card_t *card, const struct options *options, double *seconds, double *loads)
{
    ts_express_port_t port;
    const int own = ts_express_open(card);
    int result = own < 0 ? own : ts_express_port(card, ts_name_of_queue(options->site, own), 0, 0, &port);
    double begin;

    if (result) return result;
    begin = now();
    *loads = 0;
    for (unsigned i = 0; i < options->messages; i++) {
        long taken;

        result = ts_express_store(&port, i);
        if (result) return result;
        taken = take(card);
        if (taken < 0) return taken;
        *loads += taken;
    }
    *seconds = now() - begin;
    return 0;
}

/* Of what is there already: nothing is changed. */
static int loads_of_memory(ts_card_t *card, double *seconds)
{
    uint8_t block[BLOCK];
    const double begin = now();

    for (int i = 0; i < BLOCKS; i++) {
        int result = ts_load(card, 0, block, sizeof block);

        if (result) return result;
    }
    *seconds = now() - begin;
    return 0;
}

int bench(const struct options *options)
{
    ts_card_t *card;
    double seconds = 0, loads = 0, memory = 0;
    int result = ts_open(options->device, &card);

    if (!result) result = messages(card, options, &seconds, &loads);
    if (!result) result = loads_of_memory(card, &memory);
    if (!result) {
        begin_result(options);
        number("messages", options->messages);
        text("path", ts_path(card));
        number("stores_a_message", 1);
        decimal("loads_a_message", loads / options->messages);
        decimal("round_trip_us", seconds * 1e6 / options->messages);
        decimal("shared_load_mb_per_s", BLOCKS * BLOCK / 1e6 / memory);
        end_result();
    }
    ts_close(card);
    return result ? complain_code(result) : GOOD;
}
