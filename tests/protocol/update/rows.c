/** \file Write-update, row by row (docs/reference/update.md): visits, copies that stay, and what a release does. */
#include "recorder.h"

enum { MODE = 1, RELEASE = EVENT_SERVICE + 16 }; /* of the image stache,update */
enum { AT_HOME_2 = AT_HOME + 0x80 };

static const struct tt_protocol *of(void) { return protocol_named("update"); }
static void fresh_update(void) {
    fresh_second();
    row("(start)", "page(RW)@0 PageAsk>1@1000 page(I)@1000", TT.modes[MODE].protocol == of() && TT.modes[MODE].mode->consistency == TT_RELEASE);
}
static void fault(uint32_t a, int tag, int write) { tt_event(EVENT_FAULT + tag * 4 + (write && tag == TT_READ_ONLY ? 2 : write), a, 0); }
static void from(uint32_t site, const char *name, uint32_t a) { message(of(), name, a, site); }
static void release_by(uint32_t ap) { tt_event(RELEASE, 0, (0 << 3 | (2 + ap)) << 15 | 16 << 25); }

static void sharing(void) {
    fresh_update();
    from(2, "Get", AT_HOME);
    from(3, "Get", AT_HOME);
    row("writable: Get leaves the home ReadOnly, the next finds it so", "get(RW,RO)Data>2@180+128 get(RO,RO)Data>3@180+128", 1);
    fault(AT_HOME, TT_READ_ONLY, 1);
    row("shared: the home stores without a message", "tag(RO,RW)@180+128", 1);
    fault(AT_HOME, TT_READ_ONLY, 1);
    row("changed: a second aP's fault resolved meanwhile", "", 1);
    release_by(0);
    row("a release tells the copies and waits", "Changed>2@180 Changed>3@180", places_taken(TT_WORD) == 2);
    from(2, "Get", AT_HOME);
    from(2, "Ack", AT_HOME);
    row("they fetch, and acknowledge", "get(RW,RO)Data>2@180+128", places_taken(TT_WORD) == 1);
    from(3, "Get", AT_HOME);
    from(3, "Ack", AT_HOME);
    row("the last ack answers the caller", "get(RO,RO)Data>3@180+128 answer16:0>0.2", places_taken(TT_WORD) == 0);
    release_by(1);
    row("what did not change is told to nobody", "answer16:0>0.3", 1);
}

static void visits(void) {
    fresh_update();
    from(2, "Get", AT_HOME);
    from(3, "Write", AT_HOME);
    row("Write lends the block and takes it back", "get(RW,RO)Data>2@180+128 get(RO,I)Lend>3@180+128 Take>3@180", places_taken(TT_RECALLED) == 1);
    fault(AT_HOME, TT_INVALID, 0);
    fault(AT_HOME, TT_INVALID, 1);
    from(1, "Get", AT_HOME);
    from(1, "Write", AT_HOME);
    row("lent: the home's accesses and requests wait", "", 1);
    release_by(0);
    row("and so does a release", "", 1);
    from(3, "Return", AT_HOME);
    row("the return serves those that wait, in order", "put(I,RW)@180+128#9 get(RW,RO)Data>1@180+128 get(RO,I)Lend>1@180+128 Take>1@180", 1);
    from(1, "Return", AT_HOME);
    row("the last return lets the release go on", "put(I,RW)@180+128#9 Changed>1@180 Changed>2@180 Changed>3@180", places_taken(TT_WORD) == 3);
    from(1, "Ack", AT_HOME);
    from(2, "Ack", AT_HOME);
    from(3, "Ack", AT_HOME);
    row("until all have acknowledged", "answer16:0>0.2", places_taken(TT_WORD) == 0);
}

static void copies(void) {
    fresh_update();
    fault(AT_COPY, TT_INVALID, 0);
    fault(AT_COPY, TT_INVALID, 1);
    row("none: a load asks, a store waits for the data", "Get>1@1280", places_taken(TT_BLOCK) == 1);
    from(1, "Data", AT_COPY);
    row("getting: data", "put(I,RO)@1280+128#9", places_taken(TT_BLOCK) == 0);
    from(1, "Changed", AT_COPY);
    row("have: Changed fetches, readable all the time", "Get>1@1280", 1);
    from(1, "Changed", AT_COPY);
    from(1, "Data", AT_COPY);
    row("changed again meanwhile: once more", "put(RO,RO)@1280+128#9 Get>1@1280", 1);
    from(1, "Data", AT_COPY);
    row("up to date: an ack for each", "put(RO,RO)@1280+128#9 Ack>1@1280 Ack>1@1280", places_taken(TT_BLOCK) == 0);
    fault(AT_COPY, TT_READ_ONLY, 1);
    row("have: a store visits", "Write>1@1280", places_taken(TT_BLOCK) == 1);
    from(1, "Lend", AT_COPY);
    from(1, "Take", AT_COPY);
    row("lent and taken: the store, then back", "put(RO,RW)@1280+128#9 get(RW,RO)Return>1@1280+128", places_taken(TT_BLOCK) == 0);
    fault(AT_COPY, TT_READ_ONLY, 1);
    from(1, "Take", AT_COPY);
    from(1, "Changed", AT_COPY);
    row("Take overtakes the block, and it changes", "Write>1@1280", 1);
    from(1, "Lend", AT_COPY);
    row("then it goes back at once, and is fetched", "put(RO,RW)@1280+128#9 get(RW,RO)Return>1@1280+128 Get>1@1280", 1);
    from(1, "Data", AT_COPY);
    row("and acknowledged", "put(RO,RO)@1280+128#9 Ack>1@1280", places_taken(TT_BLOCK) == 0);
}

static void many(void) {
    fresh_update();
    for (uint32_t i = 0; i < 20; i++) {
        from(2, "Get", HEAP + i * 128);
        fault(HEAP + i * 128, TT_READ_ONLY, 1);
    }
    log_is("");
    release_by(0);
    row("a release of many blocks keeps sixteen acks to come", "Changed>2@980 Changed>2@900 Changed>2@880 Changed>2@800 Changed>2@780 Changed>2@700 "
        "Changed>2@680 Changed>2@600 Changed>2@580 Changed>2@500 Changed>2@480 Changed>2@400 Changed>2@380 Changed>2@300 Changed>2@280 Changed>2@200", 1);
    for (uint32_t i = 0; i < 17; i++)
        release_by(0);
    row("and sixteen callers; others are told", "complaint answer16:1>0.2 complaint answer16:1>0.2", 1);
}

void tables(void) {
    static const struct sequence list[] = {{sharing, 8}, {visits, 7}, {copies, 11}, {many, 3}};
    SEQUENCES("update", list);
}
