/** \file One site's NIU, sP and aPs: see niu_model.h. */
#include "niu_model.h"
#include <stdio.h>
#include <stdlib.h>

struct tt_state *tt_current;
struct tt_page *tt_page_at(uint32_t site, uint32_t a) { return &sites[site].state.pages[a >> TT_PAGE_SHIFT & 2047]; }
static struct site *now;
static struct message current; /* whose handler runs */
struct site sites[MOST_SITES];
uint32_t site_count, ap_count, depth_events, depth_slots, most_events, most_slots;
struct fifo network[2][MOST_SITES][MOST_SITES];
static uint32_t truth[LINES]; /* the last version written */

void stop(const char *what, uint32_t a, uint32_t b) {
    printf("%s: %u %u\n", what, a, b);
    fflush(stdout);
    _Exit(1);
}
void tt_error(const char *what, uint32_t a, uint32_t b) { stop(what, a, b); }
void tt_panic(const char *what, uint32_t a, uint32_t b) { stop(what, a, b); }
void tt_complain(const char *what, uint32_t a, uint32_t b) { stop(what, a, b); }

void fifo_push(struct fifo *f, struct message m) {
    struct message *node = malloc(sizeof *node);
    *node = m;
    node->next = 0;
    if (f->head)
        f->tail->next = node;
    else
        f->head = node;
    f->tail = node;
}
struct message fifo_pop(struct fifo *f) {
    struct message m = *f->head;
    struct message *node = f->head;
    f->head = m.next;
    free(node);
    return m;
}

void at_site(struct site *s) {
    now = s;
    tt_current = &s->state;
}
static uint32_t index_of(const struct site *s) { return (uint32_t)(s - sites); }
static uint32_t line_of(uint32_t a) { return (a - HEAP) / 64; }
static uint32_t lines_in(uint32_t shift) { return 1u << (shift - 6); }

static void send_high(uint32_t to, uint32_t type, uint32_t lines, uint32_t word, uint32_t version) {
    struct site *s = &sites[to];
    fifo_push(&network[1][to][index_of(now)], (struct message){.from = index_of(now), .type = type, .lines = lines, .word = word, .version = version});
    if (++s->high_events > depth_events)
        stop("overflow of high events: at site, events", to, s->high_events);
    if ((s->high_slots += lines != 0) > depth_slots)
        stop("overflow of slots: at site, slots", to, s->high_slots);
    most_events = s->high_events > most_events ? s->high_events : most_events;
    most_slots = s->high_slots > most_slots ? s->high_slots : most_slots;
}

static int allowed(const struct site *s, uint32_t a, int write) { return s->tags[line_of(a)] >= (write ? TT_READ_WRITE : TT_READ_ONLY); }

/* Does what its tag allows, and checks it against the last version written and all other tags. */
static void perform(struct site *s, struct ap *ap) {
    uint32_t line = line_of(ap->a), block = line & ~(lines_in(s->state.pages[line / 64].shift) - 1);
    if (s->versions[block] != truth[block])
        stop("an access sees an old version: version, last", s->versions[block], truth[block]);
    if (ap->write) {
        for (uint32_t i = 0; i < site_count; i++)
            if (&sites[i] != s && sites[i].tags[line] >= TT_READ_ONLY)
                stop("a store beside another copy: of site, line", i, line);
        s->versions[block] = ++truth[block];
    }
    ap->waits = 0;
    ap->left--;
}

static void raise_fault(struct site *s, const struct ap *ap) {
    tt_handler *handler = s->tags[line_of(ap->a)] == TT_BUSY ? tt_on_page_fault : ap->write ? tt_on_write_fault : tt_on_read_fault;
    s->faults[s->faults_tail++ % (sizeof s->faults / sizeof s->faults[0])] = (struct fault){handler, ap->a};
    if (s->faults_tail - s->faults_head > sizeof s->faults / sizeof s->faults[0])
        stop("more faults than the model keeps: site, faults", index_of(s), s->faults_tail - s->faults_head);
}

void access(struct site *s, struct ap *ap, uint32_t a, int write) {
    ap->a = a;
    ap->write = write;
    ap->waits = 1;
    if (allowed(s, a, write))
        perform(s, ap);
    else
        raise_fault(s, ap);
}

/* Those that wait in a range of lines: each goes on or faults afresh. */
static void judge(struct site *s, uint32_t line, uint32_t lines) {
    for (uint32_t i = 0; i < ap_count; i++) {
        struct ap *ap = &s->aps[i];
        if (!ap->waits || line_of(ap->a) - line >= lines)
            continue;
        if (allowed(s, ap->a, ap->write))
            perform(s, ap);
        else
            raise_fault(s, ap);
    }
}

static void retag(struct site *s, const struct command *c) {
    for (uint32_t i = 0; i < lines_in(c->shift); i++) {
        uint8_t *tag = &s->tags[(line_of(c->a) & ~(lines_in(c->shift) - 1)) + i];
        if (*tag != c->old)
            stop("a tag is not what the protocol thinks: tag, thought", *tag, c->old);
        *tag = c->next;
    }
}

int engine_step(struct site *s) {
    if (s->commands_head == s->commands_tail)
        return 0;
    struct command c = s->commands[s->commands_head++ % NIU_COMMANDS];
    uint32_t line = line_of(c.a), block = line & ~(lines_in(c.shift) - 1), parts = c.shift <= 7 ? 1 : 1u << (c.shift - 7);
    struct site *was = now;
    now = s;
    switch (c.op) {
    case GET_SEND:
        retag(s, &c);
        for (uint32_t i = 1; i <= parts; i++)
            send_high(c.site, c.type | (i < parts ? TT_PART : 0), 2, c.a, s->versions[block]);
        break;
    case PUT:
        retag(s, &c);
        s->versions[block] = c.version;
        judge(s, block, lines_in(c.shift));
        break;
    case FORWARD:
        send_high(c.site, c.type, 2, c.a, c.version);
        break;
    case TAG:
        retag(s, &c);
        judge(s, block, lines_in(c.shift));
        break;
    case FLUSH_SEND:
        retag(s, &c);
        send_high(c.site, c.type, 0, c.a, 0);
        break;
    case SEND:
        send_high(c.site, c.type, 0, c.a, 0);
        break;
    case PAGE_TAGS:
        for (uint32_t i = 0; i < 64; i++)
            s->tags[line + i] = c.next;
        judge(s, line, 64);
        break;
    case PUT_PART:
        break;
    }
    if (c.op == PUT || c.op == PUT_PART || (c.op == FORWARD && c.last))
        s->high_slots--;
    now = was;
    return 1;
}

/* The sP's store waits while the command FIFO is full. */
static void launch(struct command c) {
    if (now->commands_tail - now->commands_head == NIU_COMMANDS)
        engine_step(now);
    now->commands[now->commands_tail++ % NIU_COMMANDS] = c;
}

int transmit_step(struct site *s) {
    if (s->tx_head == s->tx_tail)
        return 0;
    uint32_t i = s->tx_head++ % TX_DEPTH;
    fifo_push(&network[0][s->tx[i].to][index_of(s)], s->tx[i].m);
    return 1;
}

static void handle(struct message m) {
    current = m;
    tt_event(EVENT_MESSAGE + m.type, m.word, m.from | m.type << 25);
}

int sp_step(struct site *s) {
    at_site(s);
    if (s->high.head) {
        s->high_events--;
        handle(fifo_pop(&s->high));
    } else if (s->timer) {
        s->timer = 0;
        tt_on_timer(0, 0);
    } else if (s->faults_head != s->faults_tail) {
        struct fault f = s->faults[s->faults_head++ % (sizeof s->faults / sizeof s->faults[0])];
        niu_event(f.a, 0);
        f.handler(f.a, 0);
    } else if (s->low.head) {
        handle(fifo_pop(&s->low));
    } else {
        return 0;
    }
    return 1;
}

void site_start(struct site *s, uint32_t events, uint32_t slots) {
    at_site(s);
    struct tt_config c = {TT_MAGIC, site_count, ap_count, 7, TT_ROUND_ROBIN, HEAP, HEAP + (TT_PAGES << TT_PAGE_SHIFT)};
    tt_state_init(index_of(s), &c);
    tt_places_init(events, slots);
}

/* ---- niu_ops.h ---- */
void *niu_dram(void) { return now->dram; }
uint32_t niu_low_free(void) { return TX_DEPTH - (now->tx_tail - now->tx_head); }
void niu_timer_soon(void) { now->timer = 1; }
void niu_express_low(uint32_t site, uint32_t type, uint32_t word) {
    if (niu_low_free() == 0)
        stop("the sP stalls at a full transmit queue: type, word", type, word);
    uint32_t i = now->tx_tail++ % TX_DEPTH;
    now->tx[i].to = site;
    now->tx[i].m = (struct message){.from = index_of(now), .type = type, .word = word};
}
void niu_express_to(uint32_t name, uint32_t tag, uint32_t word) {
    (void)tag;
    stop("a service that nobody asked for: name, word", name, word);
}
void niu_get_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    launch((struct command){.op = GET_SEND, .a = a, .shift = shift, .old = old, .next = next, .site = site, .type = type});
}
void niu_put(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    launch((struct command){.op = PUT, .a = a, .shift = shift, .old = old, .next = next, .version = current.version});
}
void niu_put_part(uint32_t a) { launch((struct command){.op = PUT_PART, .a = a, .shift = 7}); }
void niu_forward(uint32_t a, uint32_t site, uint32_t type, uint32_t last) {
    launch((struct command){.op = FORWARD, .a = a, .shift = 7, .site = site, .type = type, .last = last, .version = current.version});
}
void niu_upgrade(uint32_t a, uint32_t shift, uint32_t old, uint32_t next) {
    launch((struct command){.op = TAG, .a = a, .shift = shift, .old = old, .next = next});
}
void niu_downgrade_send(uint32_t a, uint32_t shift, uint32_t old, uint32_t next, uint32_t site, uint32_t type) {
    launch((struct command){.op = FLUSH_SEND, .a = a, .shift = shift, .old = old, .next = next, .site = site, .type = type});
}
void niu_reply(uint32_t site, uint32_t type, uint32_t word) {
    launch((struct command){.op = SEND, .a = word, .shift = 7, .site = site, .type = type});
}
void niu_page_tags(uint32_t a, uint32_t next) { launch((struct command){.op = PAGE_TAGS, .a = a, .shift = 7, .next = next}); }
