/** \file
 * Receive queues of aPs that fill (VY-20, VY-37): their senders are held until they have been read. What an Express queue has no entry for waits
 * in DRAM, in order: the hardware keeps its messages for us from the first that found it full until we say that all are in it
 * again (EXPRESS_KEPT). A Basic ring has room for what is on its way when the hardware tells who fills it.
 */
#include "overflow.h"
#include "hosts.h"
#include "named.h"
#include "services.h"
#include "tempest.h"

enum { QUEUES = 4, FIRST_QUEUE = 2, FIRST_RING = 10, MOST = 1024, ALL = 0x10000, FIRST_AP = 2, UNREAD_ANSWERS = 8, BASIC = 4, NAMED = 8, NAMES = 512, WORDS = NAMES / 32 };
/* What a request is about, beside BASIC + aP: of a host, by its queue. */
enum { HOST = 8, FIRST_HOST = 6, REQUESTS = 10 };

/* An Express queue's messages that wait: `taken` to `came`, modulo MOST. */
static struct backlog {
    uint32_t came, taken, handled;
    uint32_t asked; /* for event 107, which has not come yet */
} backlogs[QUEUES];
/* Who is to be held for a queue or, with bit BASIC, by its ring, for a ring; from NAMED on for all named queues of an aP; and who has been told: a bit
 * a name; which words of these differ. */
static struct senders {
    uint32_t wanted[WORDS], told[WORDS], differ;
} senders[NAMED + QUEUES + BASIC];
static uint16_t holds[REQUESTS]; /* of our aPs' queues and rings and of our hosts' queues, by those of the cluster */

static volatile uint32_t *place(uint32_t q, uint32_t number) {
    return (volatile uint32_t *)(TT.heap_end + (q * MOST + number % MOST) * 8);
}

static uint32_t lowest(uint32_t bits) {
    uint32_t n = 0;
    while (!(bits >> n & 1))
        n++;
    return n;
}

static void want(struct senders *s, uint32_t word, uint32_t names) {
    s->wanted[word] = names;
    s->differ = names == s->told[word] ? s->differ & ~(1u << word) : s->differ | 1u << word;
}

/* Asks the sP of an aP or a host of the cluster. */
static void request(const struct senders *s, uint32_t name, uint32_t what) {
    const uint32_t k = name & 7;
    niu_express_to((name & ~7u) | 1, what, hosts_own(k) ? HOST + k - FIRST_HOST : (k - FIRST_AP) | ((s - senders) & BASIC));
}

/* Sends what hold and resume messages the transmit queue takes; returns whether more wait for it. */
static int overflow_send(void) {
    for (struct senders *s = senders; s < senders + NAMED + QUEUES + BASIC; s++)
        while (s->differ) {
            if (niu_low_free() <= NIU_LOW_RESERVE)
                return 1;
            uint32_t w = lowest(s->differ), bit = lowest(s->wanted[w] ^ s->told[w]);
            request(s, w * 32 + bit, s->wanted[w] >> bit & 1 ? SERVICE_HOLD : SERVICE_RESUME);
            s->told[w] ^= 1u << bit;
            want(s, w, s->wanted[w]);
        }
    return 0;
}

void overflow_tell(void) {
    if (overflow_send() + moved_send() && !TT.timer_set) {
        niu_timer_soon();
        TT.timer_set = 1;
    }
}

void overflow_timer(uint32_t a, uint32_t meta) {
    tt_on_timer(a, meta);
    overflow_tell();
}

/* At once if it can be: who is not held goes on filling. */
static void hold(uint32_t queue, uint32_t name) {
    struct senders *s = &senders[queue];
    uint32_t w = name / 32, bit = 1u << name % 32;
    if (s->wanted[w] & bit)
        return;
    if (!(s->told[w] & bit) && niu_low_free() > NIU_LOW_RESERVE) {
        request(s, name, SERVICE_HOLD);
        s->told[w] |= bit;
        s->wanted[w] |= bit;
    } else {
        want(s, w, s->wanted[w] | bit);
        overflow_tell();
    }
}

static void go_on(uint32_t queue) {
    for (uint32_t w = 0; w < WORDS; w++)
        want(&senders[queue], w, 0);
    overflow_tell();
}

void overflow_hold_named(uint32_t ap, uint32_t basic, uint32_t name) { hold(NAMED + (basic ? BASIC : 0) + ap, name); }

void overflow_go_on_named(uint32_t ap) {
    go_on(NAMED + ap);
    go_on(NAMED + BASIC + ap);
}

static int has_room(uint32_t q) { return NIU_REG(NIU_EXPRESS_ROOM) >> (FIRST_QUEUE + q) & 1; }

static void inject(uint32_t head, uint32_t word) {
    NIU_REG(NIU_EXPRESS_INJECT_META) = head;
    NIU_REG(NIU_EXPRESS_INJECT) = word;
}

/* What waits goes into the queue as far as it has room; when nothing waits, messages come directly again, if none is on its way to us. */
static void drain(uint32_t q) {
    struct backlog *b = &backlogs[q];
    while (b->taken != b->came && has_room(q)) {
        volatile uint32_t *from = place(q, b->taken++);
        inject(from[0], from[1]);
    }
    if (b->taken == b->came)
        NIU_REG(NIU_EXPRESS_KEPT(FIRST_QUEUE + q)) = b->handled % ALL;
}

/* Whoever is held goes on when the reader has read most of what was there, not before: else every message would be kept. */
static void tell_when_read(uint32_t q) {
    if (!backlogs[q].asked)
        NIU_REG(NIU_EXPRESS_WANTED) = 1u << (FIRST_QUEUE + q);
    backlogs[q].asked = 1;
}

static int is_express(uint32_t header_low, uint32_t header_high) { return !(header_low >> 13 & 7) && !(header_high >> 7 & 31); }

void overflow_kept(uint32_t word, uint32_t meta) {
    NIU_REG(NIU_HEADER_SLOT) = meta >> META_MESSAGE_SLOT_SHIFT & META_MESSAGE_SLOT_MASK;
    (void)NIU_REG(NIU_HEADER_SLOT); /* the header shows a cycle after the slot is written */
    uint32_t low = NIU_REG(NIU_HEADER_LOW), high = NIU_REG(NIU_HEADER_HIGH), rxq = low >> 16 & 0x1FF, q = rxq - FIRST_QUEUE;
    if (named_kept(word, meta, low, high))
        return;
    if (hosts_own(rxq) && is_express(low, high) && !(meta & META_MESSAGE_VC(1))) {
        hosts_lost(rxq, meta);
        return;
    }
    if (q >= TT.aps || !is_express(low, high) || meta & META_MESSAGE_VC(1)) {
        fault_unwanted(word, meta);
        return;
    }
    niu_drop();
    struct backlog *b = &backlogs[q];
    uint32_t name = meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK, tag = meta >> META_MESSAGE_TAG_SHIFT & META_MESSAGE_TAG_MASK;
    b->handled++;
    if (b->came - b->taken == MOST) {
        tt_complain("a message is lost, for its receiver has 1024 to read: receive queue, sender", rxq, name);
        return;
    }
    uint32_t head = EXPRESS_META_TYPE(rxq) | EXPRESS_META_SOURCE(name) | EXPRESS_META_TAG(tag) | EXPRESS_META_PRIO(high >> 29) | EXPRESS_META_QUEUE(rxq);
    if (b->came == b->taken && has_room(q)) {
        inject(head, word);
    } else {
        volatile uint32_t *to = place(q, b->came++);
        to[0] = head;
        to[1] = word;
    }
    /* Answers of sPs are held at whoever asks and does not read. */
    int answer = (name & 7) < FIRST_AP;
    if (!answer || b->came - b->taken >= UNREAD_ANSWERS)
        hold(q, answer ? TT.site << 3 | (FIRST_AP + q) : name);
    drain(q);
    tell_when_read(q);
}

void overflow_room(uint32_t queue, uint32_t meta) {
    (void)meta;
    uint32_t q = queue - FIRST_QUEUE;
    backlogs[q].asked = 0;
    drain(q);
    if (backlogs[q].taken != backlogs[q].came)
        tell_when_read(q);
    else if (!(NIU_REG(NIU_EXPRESS_DIVERTED) >> queue & 1)) /* else the event of a message that is on its way comes here again */
        go_on(q);
}

void overflow_ring_fills(uint32_t queue, uint32_t source) {
    if (queue >= FIRST_RING && queue < FIRST_RING + TT.aps && (source & 7) >= FIRST_AP)
        hold(QUEUES + queue - FIRST_RING, source & (NAMES - 1));
}

void overflow_ring_read(uint32_t queue, uint32_t meta) {
    (void)meta;
    if (queue >= FIRST_RING && queue < FIRST_RING + TT.aps)
        go_on(QUEUES + queue - FIRST_RING);
}

static int of_sp(uint32_t meta) { return (meta >> META_MESSAGE_SOURCE_SHIFT & 7) == 0; }

/* Queue or ring `which` of our aPs, or queue of our hosts, has `more` holds. */
static void held(uint32_t which, int more) {
    holds[which] += more;
    uint32_t mask = 1u << (which & HOST ? FIRST_HOST + which % HOST : (which & BASIC ? FIRST_RING : FIRST_QUEUE) + which % BASIC);
    NIU_REG(NIU_TX_HOLD) = holds[which] ? NIU_REG(NIU_TX_HOLD) | mask : NIU_REG(NIU_TX_HOLD) & ~mask;
}

static int legal(uint32_t which, uint32_t meta) {
    return of_sp(meta) && (which < HOST ? which % BASIC < TT.aps : which < REQUESTS && hosts_own(FIRST_HOST + which % HOST));
}

void service_hold(uint32_t which, uint32_t meta) {
    if (legal(which, meta))
        held(which, 1);
    else
        service_unknown(which, meta);
}

void service_resume(uint32_t which, uint32_t meta) {
    if (legal(which, meta) && holds[which])
        held(which, -1);
    else
        service_unknown(which, meta);
}
