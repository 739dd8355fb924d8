/*
 * What a look costs that finds nothing, in cycles of an aP, for `tools/logp.py polls` (VY-31, VY-50): at one queue, at each of two, at both by OnePoll; and
 * what one costs that finds an Express message, with the message.
 */
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_message.h>

enum { TURNS = 8, TAG = 3, SETTLED = 2000 };
static ts_basic_t queue;
static ts_onepoll_t both;
static ts_express_t word;
static ts_basic_message_t basic;

static int look_express(void) { return ts_express_poll(&word); }
static int look_basic(void) { return ts_basic_poll(&queue, &basic); }
static int look_at_each(void) { return ts_basic_poll(&queue, &basic) || ts_express_poll(&word); }
static int look_by_onepoll(void) { return ts_onepoll(&both, &word) != TS_NOTHING; }

static const struct { const char *name; int queues; int (*look)(void); } ways[] = {
    {"express", 1, look_express}, {"basic", 1, look_basic}, {"each", 2, look_at_each}, {"onepoll", 2, look_by_onepoll},
};
enum { WAYS = sizeof ways / sizeof *ways, BASIC_ALONE = 1 };

static unsigned long looks(int (*look)(void), int expected)
{
    int found = 0;
    unsigned long begin = ts_clock();
    for (int i = 0; i < TURNS; i++) found += look();
    unsigned long cycles = ts_clock() - begin;
    if (found != expected * TURNS) ts_fail("polls: %d messages found, sent were %d", found, expected * TURNS);
    return cycles;
}

static void tenths(unsigned long cycles) { printf(",%lu.%lu", cycles * 10 / TURNS / 10, cycles * 10 / TURNS % 10); }

int main(void)
{
    ts_basic_open(&queue);
    ts_onepoll_open(&both, 0, TS_BASIC, TS_EXPRESS, &queue);
    printf("way,queues,nothing,express\n");
    for (int i = 0; i < WAYS; i++) {
        (void)looks(ways[i].look, 0); /* warms the cache */
        printf("%s,%d", ways[i].name, ways[i].queues);
        tenths(looks(ways[i].look, 0));
        if (i == BASIC_ALONE) {
            printf(",\n");
            continue;
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < TURNS; k++) ts_express_send(ts_self(), TAG, 0, k);
            for (unsigned long begin = ts_clock(); ts_clock() - begin < SETTLED;) ts_relax();
            unsigned long cycles = looks(ways[i].look, 1);
            if (pass) tenths(cycles);
        }
        printf("\n");
    }
    return 0;
}
