/** \file mine: begun as a copy of migratory, where a block goes to whoever touches it. */
#include "recorder.h"

enum { MODE = 1 }; /* of the image stache,mine */

static void fresh_mine(void) {
    fresh_second();
    row("(start)", "page(RW)@0 PageAsk>1@1000 page(I)@1000", TT.modes[MODE].protocol == protocol_named("mine"));
}
static void load(uint32_t a) { tt_event(EVENT_FAULT + TT_INVALID * 4, a, 0); }
static void store(uint32_t a) { tt_event(EVENT_FAULT + TT_INVALID * 4 + 1, a, 0); }
static void from(uint32_t site, const char *name, uint32_t a) { message(protocol_named("mine"), name, a, site); }

static void home(void) {
    fresh_mine();
    load(AT_HOME);
    row("here: a load resolved meanwhile", "", 1);
    from(2, "Ask", AT_HOME);
    row("here: Ask X gets the block", "get(RW,I)Data>2@180+128", 1);
    from(3, "Ask", AT_HOME);
    row("away: Ask Y takes it back", "Take>2@180", places_taken(TT_RECALLED) == 1);
    from(1, "Ask", AT_HOME);
    store(AT_HOME);
    load(AT_HOME);
    row("busy: others wait, the home's aPs once", "", 1);
    from(2, "Back", AT_HOME);
    row("busy: the block goes on, and is taken from there", "forward:Data>3@180#9 Take>3@180", places_taken(TT_RECALLED) == 1);
    from(3, "Back", AT_HOME);
    row("in order", "forward:Data>1@180#9 Take>1@180", 1);
    from(1, "Back", AT_HOME);
    row("the home last", "put(I,RW)@180+128#9", places_taken(TT_RECALLED) == 0);
    from(2, "Ask", AT_HOME);
    store(AT_HOME);
    from(3, "Ask", AT_HOME);
    from(2, "Back", AT_HOME);
    row("what waits for the home's own turn gets the block then", "get(RW,I)Data>2@180+128 Take>2@180 put(I,RW)@180+128#9 get(RW,I)Data>3@180+128", 1);
}

static void copy(void) {
    fresh_mine();
    load(AT_COPY);
    row("none: a load asks", "Ask>1@1280", places_taken(TT_BLOCK) == 1);
    store(AT_COPY);
    row("asked: a second aP joins", "", 1);
    from(1, "Data", AT_COPY);
    row("asked: data", "put(I,RW)@1280+128#9", places_taken(TT_BLOCK) == 0);
    from(1, "Take", AT_COPY);
    row("here: Take gives it up", "get(RW,I)Back>1@1280+128", 1);
    store(AT_COPY);
    from(1, "Take", AT_COPY);
    row("asked: Take overtakes the data", "Ask>1@1280", 1);
    from(1, "Data", AT_COPY);
    row("then the data are given up after one access", "put(I,RW)@1280+128#9 get(RW,I)Back>1@1280+128", places_taken(TT_BLOCK) == 0);
    load(AT_COPY);
    row("and asked for again", "Ask>1@1280", 1);
}

static void service(void) {
    fresh_mine();
    from(2, "Ask", AT_HOME);
    call("mode", "mine", 2);
    call("service", "mine.moves", 2);
    tt_event(EVENT_SERVICE + 16, 0, (1 << 3 | 2) << 15 | 16 << 25);
    row("a program finds mode and service by name, calls it and is answered", "get(RW,I)Data>2@180+128 answer8:1>2.2 answer9:16>2.2 answer16:1>1.2", 1);
    call("mode", "stolen", 2);
    call("service", "mine.move", 2);
    row("and is told what is not there", "answer8:4294967295>2.2 answer9:4294967295>2.2", 1);
}

void tables(void) {
    static const struct sequence list[] = {{home, 9}, {copy, 8}, {service, 3}};
    SEQUENCES("mine", list);
}
