/** \file mine: begun as a copy of migratory, where a block goes to whoever touches it. */
#include "tempest.h"

/* The home knows where a block is. A request that finds it on its way waits. */
struct block {
    uint8_t away;        /* 0: here, else its site + 1 */
    uint8_t busy, next;  /* whether its site was asked for it, and for whom */
    uint8_t asked;       /* the home's own aPs wait for it */
    uint8_t head, tail;  /* requests that wait, in order */
    uint8_t unused[2];
};
enum copy { NONE, ASKED, HERE, TAKEN }; /* the last: asked for, and Take has overtaken the data */

enum { ASK, TAKE, DATA, BACK = 4 }; /* messages */
enum { MOVES };                     /* counters */

static void serve(struct block *b, uint32_t a, uint32_t who) {
    if (b->away) {
        b->busy = 1;
        b->next = who;
        tt_recall(b->away - 1, TAKE, a);
    } else if (who == TT.site) { /* it has come back meanwhile */
        b->asked = 0;
    } else {
        tt_get_send(a, TT_READ_WRITE, TT_INVALID, who, DATA);
        b->away = who + 1;
        tt_count(MOVES);
    }
}
static void request(struct block *b, uint32_t a, uint32_t who) {
    if (b->busy)
        tt_wait_push(&b->head, &b->tail, who, 0);
    else
        serve(b, a, who);
}
static void home_fault(uint32_t a, uint32_t meta) {
    struct block *b = tt_state();
    if (!b->away || b->asked) /* resolved meanwhile, or asked for already */
        return;
    b->asked = 1;
    request(b, a, TT.site);
}
static void on_ask(uint32_t a, uint32_t meta) { request(tt_state(), a, tt_source(meta)); }

static void on_back(uint32_t a, uint32_t meta) {
    struct block *b = tt_state();
    b->busy = 0;
    if (b->next == TT.site) {
        tt_put(a, TT_INVALID, TT_READ_WRITE);
        b->away = b->asked = 0;
    } else {
        tt_forward(a, b->next, DATA);
        b->away = b->next + 1;
        tt_count(MOVES);
    }
    tt_answered(TT_RECALLED, 1);
    while (b->head && !b->busy)
        serve(b, a, tt_wait_pop(&b->head, &b->tail).who);
}

static void copy_fault(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (*s != NONE)
        return;
    *s = ASKED;
    tt_ask_home(ASK, a);
}
static void give_up(uint8_t *s, uint32_t a) { /* done when the access that fetched the block is */
    tt_get_home(a, TT_READ_WRITE, TT_INVALID, BACK);
    *s = NONE;
}
static void on_take(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    if (*s == HERE)
        give_up(s, a);
    else
        *s = TAKEN;
}
static void on_data(uint32_t a, uint32_t meta) {
    uint8_t *s = tt_state();
    tt_put(a, TT_INVALID, TT_READ_WRITE);
    if (*s == TAKEN)
        give_up(s, a);
    else
        *s = HERE;
    tt_answered(TT_BLOCK, 1);
}

static void moves(uint32_t word, uint32_t meta) { tt_answer(meta, tt_counter(MOVES)); }

const struct tt_protocol mine = {
    .name = "mine",
    .modes = {{"mine", .home = {home_fault, home_fault, TT_READ_WRITE, sizeof(struct block)}, .copy = {copy_fault, copy_fault, TT_INVALID, 1}}},
    .messages = {[ASK] = {"Ask", on_ask, TT_LOW, .stage = TT_READ_ASKED}, [TAKE] = {"Take", on_take, TT_LOW, .stage = TT_READ_UNCLEAN},
                 [DATA] = {"Data", on_data, TT_HIGH, .data = 1, .stage = TT_READ_DATA}, [BACK] = {"Back", on_back, TT_HIGH, .data = 1}},
    .counters = {[MOVES] = "moves"},
    .services = {{"moves", moves}}};
