/** \file
 * Low messages and the places of their answers. Every high message answers a low one, and before that one leaves a place for the
 * answer is taken here, so that what travels high always sinks: docs/design/reservations.md has the arithmetic.
 */
#include "events.h"
#include "tempest.h"

void tt_places_init(uint32_t events, uint32_t slots) {
    uint32_t lines = slots - NIU_COMMANDS; /* a slot whose PUT waits in the command FIFO is in use still */
    if (lines > events - TT_MOST_PARTS)
        lines = events - TT_MOST_PARTS;
    if (slots <= NIU_COMMANDS || events <= TT_MOST_PARTS || lines < 2 * TT_MOST_PARTS)
        tt_panic("places for answers: 40 slots and 48 high events are the least; slots, events", slots, events);
    const uint32_t all[TT_KINDS] = {[TT_BLOCK] = lines - TT_MOST_PARTS, [TT_RECALLED] = TT_MOST_PARTS, [TT_WORD] = events - lines};
    for (uint32_t kind = 0; kind < TT_KINDS; kind++)
        TT.places[kind].spare = TT.places[kind].all = all[kind] - TT_MOST_PARTS;
    for (uint32_t i = 1; i < TT_WAITERS; i++)
        TT.later[i].next = (i + 1) % TT_WAITERS;
    TT.later_free = 1;
}

/* The transmit queue keeps NIU_LOW_RESERVE entries for tt_request: one for each access that can wait here. */
static int queue_full(void) { return niu_low_free() <= NIU_LOW_RESERVE; }

/* A timer that is set already stays: what waits longest looks first. */
static void look_again_soon(void) {
    if (!TT.timer_set)
        niu_timer_soon();
    TT.timer_set = 1;
}

static uint32_t first_of(uint64_t *sites) {
    const uint32_t low = (uint32_t)*sites, half = low ? 0 : 32, bits = low ? low : (uint32_t)(*sites >> 32);
    *sites &= *sites - 1;
    return half + tt_bit_number(bits & -bits);
}

/* What waits, in order, as far as places and the queue allow. Returns whether the queue is what it waits for. */
static int send_waiting(enum tt_kind kind) {
    struct tt_places *places = &TT.places[kind];
    while (places->head) {
        struct tt_later *m = &TT.later[places->head];
        if (places->spare + TT_MOST_PARTS < m->places)
            return 0;
        if (kind != TT_BLOCK && queue_full())
            return 1;
        places->spare -= m->places;
        niu_express_low(m->sites ? first_of(m->sites) : m->site, m->type, m->word);
        if (m->sites && *m->sites)
            continue;
        uint32_t i = places->head;
        places->head = m->next;
        m->next = TT.later_free;
        TT.later_free = i;
    }
    return 0;
}

static void wait_for_place(enum tt_kind kind, struct tt_later m) {
    struct tt_places *places = &TT.places[kind];
    uint32_t i = TT.later_free;
    if (i == 0)
        tt_panic("more messages wait than sites x aPs allow: type, word", m.type, m.word);
    TT.later_free = TT.later[i].next;
    TT.later[i] = m;
    if (places->head)
        TT.later[places->tail].next = i;
    else
        places->head = i;
    places->tail = i;
    if (send_waiting(kind))
        look_again_soon();
    TT.stats.deferred += places->head != 0;
}

void tt_ask_later(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word) {
    wait_for_place(kind, (struct tt_later){.word = word, .site = site, .type = type, .places = places});
}

/* The sites from `site` on must wait; `asked` of those before have been. Apart, so that the other half needs few registers. */
static __attribute__((noinline)) uint32_t ask_rest(uint64_t *left, uint64_t sites, uint32_t site, uint32_t asked, uint32_t type, uint32_t word) {
    *left = sites >> site << site;
    for (uint64_t rest = *left; rest; rest &= rest - 1)
        asked++;
    wait_for_place(TT_WORD, (struct tt_later){.sites = left, .word = word, .type = type, .places = 1});
    return asked;
}

/* How many may leave is looked up once: others wait for what they answer. */
uint32_t tt_ask_all(uint64_t *left, uint64_t sites, uint32_t type, uint32_t word) {
    struct tt_places *places = &TT.places[TT_WORD];
    const int32_t spare = places->spare, room = (int32_t)niu_low_free() - NIU_LOW_RESERVE;
    const int32_t most = places->head ? 0 : room <= spare ? room : spare + 1;
    int32_t n = 0;
    for (uint32_t half = 0; half < 64; half += 32)
        for (uint32_t bits = (uint32_t)(sites >> half); bits; bits &= bits - 1) {
            const uint32_t site = half + tt_bit_number(bits & -bits);
            if (n >= most) {
                places->spare = spare - n;
                return ask_rest(left, sites, site, n, type, word);
            }
            niu_express_low(site, type, word);
            n++;
        }
    places->spare = spare - n;
    *left = 0;
    return n;
}

void tt_places_given_back(enum tt_kind kind) {
    if (TT.places[kind].spare > TT.places[kind].all)
        tt_panic("more answers than were asked for: kind, places beyond all", kind, TT.places[kind].spare - TT.places[kind].all);
    if (send_waiting(kind))
        look_again_soon();
}

/* Who has an answer in the list: a place for each aP, so that one who asks faster than its answers leave takes none of others. */
static uint32_t answer_bit(uint32_t name) { return 1u << ((name >> 3) * 4 + (name & 3)) % 32; }
static uint32_t *answer_word(uint32_t name) { return &TT.answering[(name >> 3) / 8]; }

static int send_answers(void) {
    for (; TT.answers_head != TT.answers_tail; TT.answers_head++) {
        if (queue_full())
            return 1;
        const struct tt_answer *a = &TT.answers[TT.answers_head % TT_ANSWERS];
        niu_express_to(a->name, a->tag, a->word);
        *answer_word(a->name) &= ~answer_bit(a->name);
    }
    return 0;
}

void tt_answer_name(uint32_t name, uint32_t tag, uint32_t word) {
    if (*answer_word(name) & answer_bit(name)) {
        tt_complain("an aP asks for service faster than its answers leave: name, tag", name, tag);
        return;
    }
    *answer_word(name) |= answer_bit(name);
    TT.answers[TT.answers_tail++ % TT_ANSWERS] = (struct tt_answer){.name = name, .tag = tag, .word = word};
    if (send_answers())
        look_again_soon();
}

/** Event 97: what waited for the transmit queue; again later what still must. */
void tt_on_timer(uint32_t arg, uint32_t meta) {
    (void)arg, (void)meta;
    TT.timer_set = 0;
    int full = send_answers();
    for (uint32_t kind = 0; kind < TT_KINDS; kind++)
        full |= send_waiting(kind);
    if (full)
        look_again_soon();
}
