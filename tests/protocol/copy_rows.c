/** \file Every row of Stache's table of copy states (docs/reference/stache.md). */
#include "recorder.h"
#include "stache_rows.h"

struct copy_row {
    const char *name;
    enum stache_copy_state before;
    tt_handler *event;
    const char *done;
    enum stache_copy_state after;
    uint32_t shift; /* block of 1 << shift bytes, 0: 128 */
    int taken;      /* places still taken afterwards; 0: those of the state */
};
static const struct copy_row rows[] = {
    {"INV: load", C_INV, tt_on_read_fault, "GetRO>1@1280", C_P_RO},
    {"INV: store", C_INV, tt_on_write_fault, "GetRW>1@1280", C_P_RW},
    {"RO: store", C_RO, tt_on_write_fault, "Upgrade>1@1280", C_P_UPG},
    {"RO: load resolved meanwhile", C_RO, tt_on_read_fault, "", C_RO},
    {"RW: load resolved meanwhile", C_RW, tt_on_read_fault, "", C_RW},
    {"RW: store resolved meanwhile", C_RW, tt_on_write_fault, "", C_RW},
    {"P-RO: second CPU loads", C_P_RO, tt_on_read_fault, "", C_P_RO},
    {"P-RO: second CPU stores", C_P_RO, tt_on_write_fault, "", C_P_RO},
    {"P-RW: second CPU loads", C_P_RW, tt_on_read_fault, "", C_P_RW},
    {"P-RW: second CPU stores", C_P_RW, tt_on_write_fault, "", C_P_RW},
    {"P-UPG: second CPU stores", C_P_UPG, tt_on_write_fault, "", C_P_UPG},
    {"P-RO: data", C_P_RO, stache_data_ro, "put(I,RO)@1280+128#9", C_RO},
    {"P-RW: data", C_P_RW, stache_data_rw, "put(I,RW)@1280+128#9", C_RW},
    {"P-UPG: grant", C_P_UPG, stache_grant, "tag(RO,RW)@1280+128", C_RW},
    {"RO: Inval RO", C_RO, stache_inval_ro, "flush(RO,I)Ack>1@1280+128", C_INV},
    {"P-UPG: Inval RO", C_P_UPG, stache_inval_ro, "flush(RO,I)Ack>1@1280+128", C_P_RW},
    {"P-RO: Inval RO overtakes data", C_P_RO, stache_inval_ro, "", C_P_RO_INVAL},
    {"P-RO: data after that Inval RO", C_P_RO_INVAL, stache_data_ro, "put(I,RO)@1280+128#9 flush(RO,I)Ack>1@1280+128", C_INV},
    {"RW: Inval RW", C_RW, stache_inval_rw, "get(RW,I)Recall>1@1280+128", C_INV},
    {"P-RW: Inval RW before data", C_P_RW, stache_inval_rw, "", C_P_RW_INVAL},
    {"P-RW: data after that Inval RW", C_P_RW_INVAL, stache_data_rw, "put(I,RW)@1280+128#9 get(RW,I)Recall>1@1280+128", C_INV},
    {"P-UPG: Inval RW before grant", C_P_UPG, stache_inval_rw, "", C_P_UPG_INVAL},
    {"P-UPG: grant after that Inval RW", C_P_UPG_INVAL, stache_grant, "tag(RO,RW)@1280+128 get(RW,I)Recall>1@1280+128", C_INV},
    {"INV: stale Inval RO", C_INV, stache_inval_ro, "None>1@1280", C_INV},
    {"INV: stale Inval RW", C_INV, stache_inval_rw, "None>1@1280", C_INV},
    {"P-RO: early part", C_P_RO, stache_data_part, "put(part)@1280#9", C_P_RO, .shift = 8, .taken = 1},
    {"INV: data nobody waits for is an event", C_INV, stache_data_ro, "put(I,RO)@1280+128#9 error", C_INV},
};

/* Whoever waits for data or a grant has places for it. */
static int taken_in(enum stache_copy_state s, uint32_t parts) { return s >= C_P_RO ? (int)parts : 0; }

static void one_row(const struct copy_row *r) {
    fresh(r->shift ? r->shift : 7);
    struct tt_page *p = tt_page_of(AT_COPY);
    uint8_t *s = stache_copy_of(p, AT_COPY);
    *s = r->before;
    TT.places[TT_BLOCK].spare -= taken_in(*s, parts_of(p));
    event(r->event, AT_COPY, 1);
    int taken = r->taken ? r->taken : taken_in(*s, parts_of(p));
    row(r->name, r->done, *s == r->after && places_taken(TT_BLOCK) == taken && places_taken(TT_WORD) == 0);
}

void copy_rows(void) {
    table("copy", sizeof rows / sizeof rows[0]);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        one_row(&rows[i]);
}
