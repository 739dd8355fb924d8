/** \file The NUMA protocol, row by row: the events that each state can meet, and what the NIU is told. */
#include "recorder.h"

enum { MODE = 1 }; /* of the image stache,numa */

static void fresh_numa(void) {
    fresh_second();
    row("(start)", "page(RW)@0 PageAsk>1@1000 page(I)@1000", TT.modes[MODE].protocol == protocol_named("numa"));
}
static void load(uint32_t a) { tt_event(EVENT_FAULT + TT_INVALID * 4, a, 0); }
static void store(uint32_t a) { tt_event(EVENT_FAULT + TT_INVALID * 4 + 1, a, 0); }
static void store_shared(uint32_t a) { tt_event(EVENT_FAULT + TT_READ_ONLY * 4 + 2, a, 0); }
static void from(uint32_t site, const char *name, uint32_t a) { message(protocol_named("numa"), name, a, site); }

static void home(void) {
    fresh_numa();
    store(AT_HOME);
    load(AT_HOME);
    row("here: accesses resolved meanwhile", "", 1);
    from(2, "Read", AT_HOME);
    row("here: Read X gets the block for a visit", "get(RW,RO)Data>2@180+128 Take>2@180", places_taken(TT_WORD) == 1);
    from(3, "Read", AT_HOME);
    row("visited: loads visit together", "get(RO,RO)Data>3@180+128 Take>3@180", places_taken(TT_WORD) == 2);
    from(1, "Write", AT_HOME);
    from(2, "Read", AT_HOME);
    row("visited: a store waits, and a load behind it", "", 1);
    from(2, "Left", AT_HOME);
    row("visited: one left", "", places_taken(TT_WORD) == 1);
    from(3, "Left", AT_HOME);
    row("the last left: the store's turn", "get(RO,I)Lend>1@180+128 Take>1@180", places_taken(TT_RECALLED) == 1);
    store(AT_HOME);
    load(AT_HOME);
    row("lent: the home waits for the return", "", 1);
    from(1, "Return", AT_HOME);
    row("lent: Return, then the load that waited", "put(I,RW)@180+128#9 get(RW,RO)Data>2@180+128 Take>2@180", places_taken(TT_RECALLED) == 0);
    from(2, "Read", AT_HOME);
    row("visited: the same site's next load waits for its Left", "", places_taken(TT_WORD) == 1);
    store_shared(AT_HOME);
    store_shared(AT_HOME);
    from(2, "Left", AT_HOME);
    row("in order, the home's own store last", "get(RO,RO)Data>2@180+128 Take>2@180", 1);
    from(2, "Left", AT_HOME);
    row("nobody there: the home's store", "tag(RO,RW)@180+128", places_taken(TT_WORD) == 0);
}

static void copy(void) {
    fresh_numa();
    load(AT_COPY);
    row("none: a load asks", "Read>1@1280", places_taken(TT_BLOCK) == 1);
    store(AT_COPY);
    row("asked: a second aP joins", "", 1);
    from(1, "Data", AT_COPY);
    row("asked: data", "put(I,RO)@1280+128#9", places_taken(TT_BLOCK) == 0);
    from(1, "Take", AT_COPY);
    row("here: Take ends the visit", "flush(RO,I)Left>1@1280+128", 1);
    load(AT_COPY);
    row("and nothing is left: the next load asks", "Read>1@1280", 1);
    from(1, "Take", AT_COPY);
    from(1, "Data", AT_COPY);
    row("asked: Take overtakes the data", "put(I,RO)@1280+128#9 flush(RO,I)Left>1@1280+128", 1);
    load(AT_COPY);
    from(1, "Data", AT_COPY);
    store_shared(AT_COPY);
    from(1, "Take", AT_COPY);
    row("here: a store asks when the load's visit is over", "Read>1@1280 put(I,RO)@1280+128#9 flush(RO,I)Left>1@1280+128 Write>1@1280", 1);
    from(1, "Lend", AT_COPY);
    row("asked for a store: data", "put(I,RW)@1280+128#9", places_taken(TT_BLOCK) == 0);
    from(1, "Take", AT_COPY);
    row("here for a store: Take sends the block back", "get(RW,I)Return>1@1280+128", 1);
    store(AT_COPY);
    from(1, "Take", AT_COPY);
    from(1, "Lend", AT_COPY);
    row("asked for a store: Take overtakes the data", "Write>1@1280 put(I,RW)@1280+128#9 get(RW,I)Return>1@1280+128", 1);
}

void tables(void) {
    static const struct sequence list[] = {{home, 12}, {copy, 11}};
    SEQUENCES("numa", list);
}
