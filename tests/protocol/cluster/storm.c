/** \file
 * storm SITES APS EVENTS SLOTS SEED ROUNDS [TOLD-EVENTS TOLD-SLOTS]: in a round every aP of the cluster reads all blocks, so that all
 * sites share them, and when all have, loads and stores at random, ACCESSES each. The pages have their homes at sites 0 and 1; pages 0
 * and 1 have blocks of 64 B, 2 and 3 of 256 B, the others of 2 KB. Links of the high channel, sPs or command engines sleep until
 * nothing else can happen; first the links at which the data of the loads arrive, then those for the acks of the first stores.
 *
 * No site may ever have more than EVENTS high messages, SLOTS of them with lines, on their way to it or in it; every access must see the
 * last version and be done in the end; then no place is taken and nothing waits. The firmware is told EVENTS and SLOTS, or what the
 * last two say. Prints the most there was; status 0, or 1 and what was wrong.
 */
#include "niu_model.h"
#include <stdio.h>
#include <stdlib.h>

static const uint32_t shifts[PAGES] = {6, 6, 8, 8, 11, 11, 11, 11};
static uint64_t state;
static uint32_t draw(uint32_t range) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % range;
}

/* The message that has waited longest for a random sender, if there is one on the channel. */
static int deliver(uint32_t channel, uint32_t to) {
    uint32_t first = draw(site_count);
    for (uint32_t i = 0; i < site_count; i++) {
        struct fifo *f = &network[channel][to][(first + i) % site_count];
        if (!f->head)
            continue;
        fifo_push(channel ? &sites[to].high : &sites[to].low, fifo_pop(f));
        return 1;
    }
    return 0;
}

static uint32_t block_at(uint32_t number) {
    uint32_t page = 0;
    for (; number >= 4096u >> shifts[page]; page++)
        number -= 4096u >> shifts[page];
    return HEAP + page * 4096 + (number << shifts[page]);
}

enum { ACCESSES = 12 };
static uint32_t reads, reading; /* all blocks, once; whether the round is still there */

static int ap_step(struct site *s, struct ap *ap) {
    if (ap->waits || ap->left == 0)
        return 0;
    if (reading)
        access(s, ap, block_at((reads + (uint32_t)ap->left - 1 - 2 * (uint32_t)(ap - s->aps)) % reads), 0); /* the largest first, other aPs other ones */
    else
        access(s, ap, HEAP + draw(LINES) * 64, draw(3) != 0);
    return 1;
}

/* What sleeps, a bit a site: sPs, engines or the high channel's links, of the homes, of half of all sites or of all. */
enum { SP, ENGINE, LINK, KINDS };
static uint64_t asleep[KINDS];
static uint32_t awake_for; /* steps until something falls asleep, and then sleeps until nothing else can happen */
static void fall_asleep(void) {
    uint64_t half = (uint64_t)draw(1u << 31) << 33 | (uint64_t)draw(1u << 31) << 2;
    asleep[draw(KINDS)] |= (const uint64_t[]){3, half, ~(uint64_t)0}[draw(3)];
}
static int awake(int kind, uint32_t site) { return !(asleep[kind] >> site & 1); }

/* One of the things that can happen at a site, by its number. */
enum { HIGH, LOW, TRANSMIT, COMMAND, EVENT, FIRST_AP };
static int happen(int what, uint32_t i) {
    struct site *s = &sites[i];
    switch (what) {
    case HIGH: return awake(LINK, i) && deliver(1, i);
    case LOW: return deliver(0, i);
    case TRANSMIT: return transmit_step(s);
    case COMMAND: return awake(ENGINE, i) && engine_step(s);
    case EVENT: return awake(SP, i) && sp_step(s);
    default: return ap_step(s, &s->aps[what - FIRST_AP]);
    }
}

static int step(void) {
    int things = FIRST_AP + (int)ap_count;
    if (awake_for && --awake_for == 0)
        fall_asleep();
    for (int tries = 0; tries < 50; tries++)
        if (happen((int)draw((uint32_t)things), draw(site_count)))
            return 1;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < site_count; i++)
            for (int what = 0; what < things; what++)
                if (happen(what, i))
                    return 1;
        for (int kind = 0; kind < KINDS; kind++)
            asleep[kind] = 0;
        awake_for = 1 + draw(2000);
    }
    return 0;
}

static uint32_t number(char **argument, const char *name, uint32_t least, uint32_t most) {
    uint32_t v = strtoul(*argument, 0, 0);
    if (v < least || v > most) {
        printf("storm: %s=%s is out of range: %u to %u\n", name, *argument, least, most);
        exit(2);
    }
    return v;
}

/* Until nothing happens any more: `each` accesses of every aP. */
static void run(uint32_t each) {
    for (uint32_t i = 0; i < site_count; i++)
        for (uint32_t k = 0; k < ap_count; k++)
            sites[i].aps[k].left = (int)each;
    while (step()) {
    }
}

int main(int argc, char **argv) {
    if (argc != 7 && argc != 9) {
        printf("storm: SITES APS EVENTS SLOTS SEED ROUNDS [TOLD-EVENTS TOLD-SLOTS]\n");
        return 2;
    }
    site_count = number(&argv[1], "SITES", 2, MOST_SITES);
    ap_count = number(&argv[2], "APS", 1, MOST_APS);
    depth_events = number(&argv[3], "EVENTS", 48, 1 << 20);
    depth_slots = number(&argv[4], "SLOTS", 40, 1 << 20);
    state = number(&argv[5], "SEED", 1, UINT32_MAX) * 0x9E3779B97F4A7C15ull;
    uint32_t rounds = number(&argv[6], "ROUNDS", 1, 1000);
    uint32_t told_events = argc == 9 ? number(&argv[7], "TOLD-EVENTS", 48, 1 << 20) : depth_events;
    uint32_t told_slots = argc == 9 ? number(&argv[8], "TOLD-SLOTS", 40, 1 << 20) : depth_slots;
    for (uint32_t page = 0; page < PAGES; page++)
        reads += 4096u >> shifts[page];
    for (uint32_t i = 0; i < site_count; i++) {
        site_start(&sites[i], told_events, told_slots);
        for (uint32_t page = i; page < PAGES; page += site_count)
            if (tt_page_set(page | shifts[page] << 16 | page % 2 << 20 | 1 << 26))
                stop("PAGE_SET refused: page, shift", page, shifts[page]);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        reading = 1;
        asleep[LINK] = round ? ~(uint64_t)3 : 0; /* the first opens the pages */
        run(reads);
        reading = 0;
        asleep[LINK] = 3;
        run(ACCESSES);
    }
    uint32_t waited = 0;
    for (uint32_t i = 0; i < site_count; i++) {
        struct site *s = &sites[i];
        at_site(s);
        for (uint32_t k = 0; k < ap_count; k++)
            if (s->aps[k].left)
                stop("stuck: site, accesses left", i, (uint32_t)s->aps[k].left);
        for (uint32_t kind = 0; kind < TT_KINDS; kind++)
            if (TT.places[kind].spare != TT.places[kind].all || TT.places[kind].head)
                stop("places are taken in the end: site, kind", i, kind);
        if (s->high_events || s->high_slots)
            stop("answers are left: site, slots", i, s->high_slots);
        waited += TT.stats.deferred;
    }
    printf("most events %u, most slots %u, messages that waited %u\n", most_events, most_slots, waited);
    return 0;
}
