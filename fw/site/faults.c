/** \file What nobody expects: words on the console, a count, and for a dead firmware the trap pin. */
#include "events.h"
#include "site.h"
#include "tempest.h"

static void put(char c) { NIU_REG(NIU_CONSOLE) = (uint8_t)c; }
static void text(const char *s) {
    while (*s)
        put(*s++);
}
static void hex(uint32_t v) {
    text(" 0x");
    for (int shift = 28; shift >= 0; shift -= 4)
        put("0123456789abcdef"[v >> shift & 15]);
}

/* More errors than this tell nobody anything new. */
enum { MOST_ERRORS = 64 };

static void say(const char *what, uint32_t a, uint32_t b) {
    text("sP: ");
    text(what);
    hex(a);
    hex(b);
    put('\n');
}

void tt_error(const char *what, uint32_t a, uint32_t b) {
    if (++TT.errors < MOST_ERRORS)
        say(what, a, b);
    else if (TT.errors == MOST_ERRORS)
        say("further errors are counted, not told: so many were", MOST_ERRORS - 1, 0);
}

/* Cycles between two complaints that are told, each of which takes some 500: what users do wrong all the time slows nobody. */
enum { COMPLAINT_EVERY = 1 << 16 };

void tt_complain(const char *what, uint32_t a, uint32_t b) {
    static uint32_t last;
    uint32_t now = NIU_REG(NIU_TIME_LO);
    if (TT.complaints < MOST_ERRORS && (TT.complaints == 0 || now - last >= COMPLAINT_EVERY)) {
        last = now;
        say(what, a, b);
    }
    TT.complaints++;
}

/** Cause (a RISC-V cause, or bit 31 alone for tt_panic) and pc of what stopped the sP, for whoever looks from outside. */
volatile uint32_t tt_trap[2];

void tt_panic(const char *what, uint32_t a, uint32_t b) {
    TT.errors++;
    say(what, a, b);
    tt_trap[0] = 0x80000000u;
    tt_trap[1] = (uint32_t)__builtin_return_address(0) - 4; /* the call: behind it, for it does not return, may be the next function */
    NIU_REG(NIU_TRAP) = 0x80000000u;
    for (;;) {
    }
}

void firmware_trap(uint32_t cause, uint32_t pc, uint32_t value) {
    text("sP: trap, cause");
    hex(cause);
    text(" at");
    hex(pc);
    text(" value");
    hex(value);
    put('\n');
    tt_trap[0] = cause;
    tt_trap[1] = pc;
    NIU_REG(NIU_TRAP) = cause;
    for (;;) {
    }
}

/* Cycles within which a cache surely delivers what it had to write back. */
enum { DATA_FOLLOWS = 100000 };

/* What the NIU claimed from a cache: nobody else has this data, so all of it is told before its place is free again (VY-10). The
 * event comes with the verdict, the data behind it; events and scratch have the same order. */
static void tell_claimed(const char *what) {
    for (uint32_t start = NIU_REG(NIU_TIME_LO); NIU_REG(NIU_SCRATCH_HELD) == 0;)
        if (NIU_REG(NIU_TIME_LO) - start > DATA_FOLLOWS)
            tt_panic("a claimed write without its data: writes held, cycles waited", 0, DATA_FOLLOWS);
    tt_error(what, NIU_REG(NIU_SCRATCH_ADDRESS), NIU_REG(NIU_SCRATCH_INFO));
    text("sP: written:");
    for (uint32_t i = 0; i < 16; i++)
        hex(NIU_REG(NIU_SCRATCH_DATA(i)));
    put('\n');
    NIU_REG(NIU_SCRATCH_FREE) = 0;
}

void fault_illegal(uint32_t a, uint32_t meta) {
    uint32_t op = meta >> META_FAULT_OP_SHIFT & META_FAULT_OP_MASK;
    if (op == BUS_OP_WRITE_BACK || op == BUS_OP_WRITE_PARTIAL)
        tell_claimed("illegal write: address, mask and op and master");
    else
        tt_error("illegal bus op: address, meta", a, meta);
}

void fault_page_write(uint32_t a, uint32_t meta) {
    if (meta & META_FAULT_CLAIMED(1))
        tell_claimed("write-back to a page nobody opened: address, mask and op and master");
    else
        tt_on_page_fault(a, meta);
}
/* A command named a tag that the block does not have: a fault of the protocol whose page it is. */
void fault_mismatch(uint32_t a, uint32_t meta) {
    static const char *const tags[8] = {"busy", "Invalid", "ReadOnly", "ReadWrite", "PendRead", "PendExcl", "PendDown", "Fill"};
    const struct tt_page *p = tt_page_of(a);
    tt_error("a tag was not what the protocol thought: address, first word of the block's state", a,
             p->state < TT_HOME ? 0 : *(const uint32_t *)((uintptr_t)tt_state_at(a) & ~(uintptr_t)3));
    if (TT.errors >= MOST_ERRORS)
        return;
    text("sP: found ");
    text(tags[meta >> META_COMMAND_FOUND_SHIFT & META_COMMAND_FOUND_MASK]);
    if (p->state >= TT_HOME) {
        text(" in a page of mode ");
        text(TT.modes[p->mode].mode->name);
        text(p->state == TT_HOME ? ", at its home" : ", at a copy");
    }
    put('\n');
}
/* What aPs sent or stored where nobody takes it. A message's lines are given back, for slots are the protocol's. */
void fault_unwanted(uint32_t a, uint32_t meta) {
    if (meta & META_MESSAGE_HELD(1))
        niu_drop();
    tt_complain("a message that its queue cannot hold: word, meta", a, meta);
}
/* It had to wait, so nobody reserved its place: the arithmetic of docs/design/reservations.md is wrong, or somebody broke its rules. */
void fault_high_stopped(uint32_t a, uint32_t meta) { tt_panic("a high message had no place: its header", a, meta); }
/* More commands with an event at once than the engine has places for (docs/design/command-engine.md). They were done; whether one met
 * another tag than the protocol thought is lost. */
void fault_untold(uint32_t a, uint32_t meta) { tt_error("commands whose events had no place: address of the first, how many", a, meta); }
void fault_bus_error(uint32_t a, uint32_t meta) { tt_complain("a store that nobody answers: address, meta", a, meta); }
void fault_translation(uint32_t a, uint32_t meta) { tt_complain("a message to a name without a row: word, meta", a, meta); }
void fault_other(uint32_t a, uint32_t meta) { tt_error("event without a handler: argument, meta", a, meta); }
