/* What the library costs in the card's own cycles: an aP of the card tells its clock before and after. */
#include "guest.h"
#include "../requests.h"
#include <stdio.h>
#include <turnstile_host.h>

enum { TIMES = 50, WAIT = 20000, PAGE = 4096 };

static ts_card_t *card;
static int express, basic;
static uint8_t bytes[PAGE];

static uint32_t asked(unsigned request, uint32_t word)
{
    ts_express_t came;

    CHECK(ts_express_send(card, ts_name_of_ap(0, 0), request, 0, word) == 0 && ts_express_receive(card, &came, WAIT) == 0 && came.tag == request);
    return came.word;
}

static void nothing(void) {}

static void to_itself(void)
{
    ts_express_port_t port;
    ts_express_t came;

    CHECK(ts_express_port(card, ts_name_of_queue(0, express), 0, 0, &port) == 0 && ts_express_store(&port, 1) == 0 && ts_express_receive(card, &came, WAIT) == 0);
}

static void to_an_ap(void) { asked(CARD_ADD_ONE, 1); }

static void basic_to_itself(void)
{
    ts_basic_message_t came;

    CHECK(ts_basic_send(card, ts_name_of_queue(0, basic - 8), 0, bytes, TS_BASIC_BYTES) == 0 && ts_basic_receive(card, &came, WAIT) == 0 && came.bytes == TS_BASIC_BYTES);
}

static void word_loaded(void) { CHECK(ts_load(card, 0, bytes, 8) == 0); }
static void page_loaded(void) { CHECK(ts_load(card, ts_info(card)->shared_bytes / 2, bytes, PAGE) == 0); }
static void page_stored(void) { CHECK(ts_store(card, ts_info(card)->shared_bytes / 2, bytes, PAGE) == 0 && ts_fence(card) == 0); }

static double cycles(void (*what)(void), unsigned times)
{
    uint32_t begin;

    what(); /* a page is opened at its first touch */
    begin = asked(CARD_CLOCK, 0);
    for (unsigned i = 0; i < times; i++) what();
    return (double)(asked(CARD_CLOCK, 0) - begin) / times;
}

void run_bench(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
        unsigned times;
    } parts[] = {
        {"host_round_trip", to_itself, TIMES}, {"host_round_trip_ap", to_an_ap, TIMES}, {"host_round_trip_basic_88", basic_to_itself, TIMES},
        {"host_load_8", word_loaded, TIMES},   {"host_load_4k", page_loaded, 4},        {"host_store_4k", page_stored, 4},
    };
    double between;

    CHECK(ts_open(NULL, &card) == 0);
    express = ts_express_open(card);
    basic = ts_basic_open(card);
    CHECK(express > 0 && basic > 0);
    between = cycles(nothing, 1); /* of the two questions */
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) printf("bench: %-26s %9.1f cycles\n", parts[i].name, cycles(parts[i].run, parts[i].times) - between / parts[i].times);
    ts_close(card);
}
