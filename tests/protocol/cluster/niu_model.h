/** \file
 * A cluster on the workstation: the firmware of each site over a model of its NIU. Tags, blocks as version numbers, command FIFO,
 * transmit queue, event FIFOs, a network that keeps the order of a pair and a channel and nothing else.
 */
#ifndef NIU_MODEL_H
#define NIU_MODEL_H
#include "events.h"
#include "tempest.h"

enum { HEAP = 0x80800000, MOST_SITES = 64, MOST_APS = 4, PAGES = 8, LINES = PAGES * 64, TX_DEPTH = 16, PAIRS = MOST_SITES * MOST_SITES };

struct message {
    uint8_t from, type, lines;
    uint32_t word, version;
    struct message *next;
};
struct fifo {
    struct message *head, *tail;
};
/** What the sP launched: performed later, in order. */
struct command {
    enum { GET_SEND, PUT, PUT_PART, FORWARD, TAG, FLUSH_SEND, SEND, PAGE_TAGS } op;
    uint32_t a, shift, old, next, site, type, version, last;
};
/** A local event: an aP's access that its tag forbids. */
struct fault {
    tt_handler *handler;
    uint32_t a;
};
struct ap {
    int waits, write, left;
    uint32_t a;
};
struct site {
    struct tt_state state;
    char dram[NIU_DIRECTORY_BYTES];
    uint8_t tags[LINES];
    uint32_t versions[LINES];
    struct command commands[NIU_COMMANDS];
    uint32_t commands_head, commands_tail;
    struct { uint32_t to; struct message m; } tx[TX_DEPTH];
    uint32_t tx_head, tx_tail;
    struct fault faults[1 << 12]; /* one for each judgement of an access that waits, a ring */
    uint32_t faults_head, faults_tail;
    struct fifo high, low; /* event FIFOs */
    int timer;
    uint32_t high_events, high_slots; /* on their way here, or here */
    struct ap aps[MOST_APS];
};

extern struct site sites[MOST_SITES];
extern uint32_t site_count, ap_count;
/** What the hardware has; more is an overflow. */
extern uint32_t depth_events, depth_slots;
/** The most there ever was at a site. */
extern uint32_t most_events, most_slots;
extern struct fifo network[2][MOST_SITES][MOST_SITES]; /* channel, to, from */

void fifo_push(struct fifo *f, struct message m);
struct message fifo_pop(struct fifo *f);

/** Ends the program: a sentence, two numbers. */
void stop(const char *what, uint32_t a, uint32_t b) __attribute__((noreturn));
/** The site whose firmware runs. */
void at_site(struct site *s);
void site_start(struct site *s, uint32_t events, uint32_t slots);
/** Each does one step, if there is one; returns whether. */
int sp_step(struct site *s);
int engine_step(struct site *s);
int transmit_step(struct site *s);
/** An aP's access: done, or it waits and its fault is an event. */
void access(struct site *s, struct ap *ap, uint32_t a, int write);
#endif
