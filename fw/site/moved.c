/** \file
 * A named queue moves to another site (VY-35; docs/design/names.md): the new place takes its name, then one site after the other sends there what it sends to
 * the name. Nobody waits for it. One queue of a site moves at a time, and then none for REST times as long, for it is work of sPs.
 */
#include "named.h"
#include "overflow.h"
#include "services.h"
#include "tempest.h"

enum { ROWS = 1, ADOPT, NAMES = 512, FIRST_AP = 2, HAD = 9 /* in an answer: the name that the queue which adopted had, else 0 */, SITES = 64, REST = 7 };

/* `site`: that was asked last, or is asked next while `waits`; `due`: answers that have not come. */
static struct { uint32_t under, what, site, waits, due, index, ap, name, to, adopted, began, took; } move;
/* What our answers to other sPs say, of which a site waits for one at most. */
static uint32_t answers[SITES];
static uint32_t unsent[SITES / 32];

/* By both channels, each behind what our aPs sent by it before. */
static int answer(uint32_t site) {
    if (niu_low_free() <= NIU_LOW_RESERVE || niu_high_free() == 0)
        return 0;
    niu_express_high_to(site << 3 | 1, SERVICE_ROWED, answers[site]);
    niu_express_to(site << 3 | 1, SERVICE_ROWED, answers[site]);
    return 1;
}

int moved_send(void) {
    for (uint32_t site = 0; site < TT.sites; site++)
        if (unsent[site / 32] >> site % 32 & 1) {
            if (!answer(site))
                return 1;
            unsent[site / 32] &= ~(1u << site % 32);
        }
    if (move.waits) {
        if (niu_low_free() <= NIU_LOW_RESERVE)
            return 1;
        move.waits = 0;
        niu_express_to(move.site << 3 | 1, SERVICE_ROW, ROW_WORD(move.what, move.name, move.to));
    }
    return 0;
}

int moved_under(uint32_t index) { return move.under && move.index == index; }

static void ask(uint32_t what, uint32_t site) {
    move.what = what;
    move.site = site;
    move.due = 2;
    move.waits = 1;
    overflow_tell();
}

static void end(uint32_t answer) {
    move.under = 0;
    move.took = NIU_REG(NIU_TIME_LO) - move.began;
    tt_answer_name(TT.site << 3 | (FIRST_AP + move.ap), SERVICE_NAMED, answer);
}

uint32_t moved_begin(uint32_t ap, uint32_t index, uint32_t name, uint32_t to) {
    uint32_t now = NIU_REG(NIU_TIME_LO);
    if (move.under || now - move.began < (REST + 1) * move.took)
        return NAMED_BUSY;
    move.under = 1;
    move.began = now;
    move.index = index;
    move.ap = ap;
    move.name = name;
    move.to = to;
    ask(ADOPT, to >> 9);
    return 0;
}

void service_rowed(uint32_t word, uint32_t meta) {
    uint32_t by = meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK;
    if (by & 7 || !move.under || move.waits || by >> 3 != move.site || (word & 0x1FF) != move.name) {
        service_unknown(word, meta);
        return;
    }
    if (--move.due)
        return;
    if (move.what == ADOPT) {
        move.adopted = word >> HAD;
        if (!move.adopted) {
            end(SERVICE_REFUSED);
            return;
        }
        named_exchange(move.index, move.adopted);
        ask(ROWS, 0);
    } else if (move.site + 1 < TT.sites) {
        ask(ROWS, move.site + 1);
    } else {
        end(move.adopted);
    }
}

/* An sP asks: ADOPT of the queue that is to have the name; ROWS for all of our aPs that may send to it. */
void moved_asked(uint32_t site, uint32_t what, uint32_t name, uint32_t to) {
    uint32_t had = what == ADOPT ? named_adopt(to, name) : 0;
    for (uint32_t ap = 0; what == ROWS && ap < TT.aps; ap++)
        if (NIU_REG(NIU_TRANSLATION((FIRST_AP + ap) * NAMES + name)) >> NIU_TRANSLATION_VALID_SHIFT & 1)
            named_row(ap, name, to, 1);
    answers[site] = name | had << HAD;
    unsent[site / 32] |= 1u << site % 32;
    overflow_tell();
}
