/** \file
 * Receive queues beyond the resident ones (VY-33, VY-34, VY-38, VY-39; docs/design/names.md). What comes for one the hardware keeps for us (event
 * 101): we append it to a ring in its owner's private window, in order, and hold its senders while half of that is unread. An Express FIFO that
 * is nobody's may hold one of them: it takes messages from when all that came before have been read.
 */
#include "named.h"
#include "hosts.h"
#include "overflow.h"
#include "services.h"
#include "tempest.h"

enum { APS = 4, OF_AP = 8, FIRST_RXQ = 16, FIRST_AP = 2, FIFOS = 8, NAMES = 512, LEAST_LOG2 = 5, MOST_LOG2 = 8, MOST_FILL = 64, TX = 1 /* of markers */ };
/* A ring: two lines of words, what we write and what its reader writes; then slots. */
enum { CAME = 0, HELD = 2, LOST = 3, READ = 16, SLOT_WORDS = 32, BYTES = 128 };
/* Requests of aPs: word[31:29], and what [2:0] are. */
enum { OPEN, CLOSE, RESUME, PARK, HAVE_READ, GRANT, EXPECT, MOVE };
/* Of ROW, when it is asked for one aP: where the fields are. */
enum { ROW_PLACE = 9, ROW_AP = 24, ROW_VALID = 26, ROW_ASKER = 27 };

static struct queue {
    volatile uint32_t *ring; /* 0: closed */
    uint32_t slots, came;
    uint8_t fifo, settling; /* that holds it, 0 none; a marker is on its way */
    uint16_t expects;       /* the name that may move here, 0 none */
    uint8_t granted;
} queues[APS * OF_AP];
static uint16_t names[APS * OF_AP]; /* a queue that moves has the name of its new place in exchange */
static uint32_t private_bytes, taken /* FIFOs that hold one, a bit each */, kept /* events 101, all */;
static uint8_t holding[APS]; /* senders to an aP's queues */
static uint8_t fifos[APS];   /* that it may have, a bit each: no division when it asks */

static uint32_t unread(const struct queue *q) {
    uint32_t n = q->came - q->ring[READ];
    return n > q->slots ? q->slots : n; /* its owner may have written anything */
}

/* The names of a site's queues are the same for all senders: what the names of aPs leave is divided among the sites. */
static uint32_t names_of_site;
static uint32_t name_of(uint32_t site, uint32_t index) { return 8 * TT.sites + site * names_of_site + index; }
uint32_t named_place(uint32_t site, uint32_t index) { return (FIRST_RXQ + index) | site << 9; }

void named_init(uint32_t window_bytes) {
    private_bytes = window_bytes;
    names_of_site = NAMES / TT.sites - 8;
    for (uint32_t i = 0; i < APS * OF_AP; i++) {
        names[i] = name_of(TT.site, i);
        NIU_REG(NIU_TRANSLATION(TX * NAMES + i)) = NIU_TRANSLATION_VALID(1) | NIU_TRANSLATION_SITE(TT.site) | NIU_TRANSLATION_RXQ(FIRST_RXQ + i) |
                                                   NIU_TRANSLATION_SOURCE(TT.site << 3);
    }
    for (uint32_t f = FIRST_AP + TT.aps; f < FIFOS; f++)
        if (!hosts_own(f)) {
            uint32_t ap = (f - FIRST_AP) % TT.aps;
            fifos[ap] |= 1u << f;
            NIU_REG(NIU_QUEUE_OWNERS(f)) = 1u << ap;
        }
}

/* It comes to us after all that was on its way to this queue when it was sent, whatever held the queue then. */
static void send_marker(uint32_t index) {
    queues[index].settling = 1;
    *(volatile uint32_t *)(SP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(TX) + EXPRESS_TX_TAG(SERVICE_NAMED) + EXPRESS_TX_DEST(index)) = index;
}

static uint32_t open(uint32_t ap, uint32_t word) {
    uint32_t at = (word & 0xFFFF) * AP_PAGE_BYTES, log2 = word >> 16 & 15, index = ap * OF_AP;
    while (index % OF_AP != OF_AP - 1 && queues[index].ring)
        index++;
    struct queue *q = &queues[index];
    if (q->ring || index >= names_of_site || log2 < LEAST_LOG2 || log2 > MOST_LOG2 || at + BYTES + (BYTES << log2) > private_bytes - AP_MESSAGE_BYTES)
        return SERVICE_REFUSED;
    *q = (struct queue){.ring = (volatile uint32_t *)(MEMORY_BASE + ap * private_bytes + at), .slots = 1u << log2};
    q->ring[CAME] = q->ring[HELD] = q->ring[LOST] = q->ring[READ] = 0;
    return names[index] | (index % OF_AP) << 16;
}

static uint32_t close(struct queue *q) {
    if (q->fifo || q->settling || moved_under(q - queues))
        return SERVICE_REFUSED;
    q->ring = 0;
    return 0;
}

/* What comes next must not overtake what we keep. A FIFO without room diverts: so it is filled, and the marker is the first that finds it so; unless its
 * owner reads it meanwhile, who then waits for his answer for ever. */
static void fill(uint32_t f) {
    for (uint32_t looks = 0, sent = 0; looks < 4 && sent < MOST_FILL; looks++)
        if (NIU_REG(NIU_EXPRESS_ROOM) >> f & 1) { /* no room is shown while one is on its way there, too */
            NIU_REG(NIU_EXPRESS_INJECT_META) = EXPRESS_META_TYPE(f) | EXPRESS_META_SOURCE(TT.site << 3) | EXPRESS_META_TAG(SERVICE_NAMED) | EXPRESS_META_QUEUE(f);
            NIU_REG(NIU_EXPRESS_INJECT) = 0;
            looks = 0, sent++;
        }
}

/* Returns 0 when the answer comes with the marker. */
static uint32_t resume(uint32_t ap, uint32_t index) {
    struct queue *q = &queues[index];
    uint32_t free = fifos[ap] & ~taken, f = FIRST_AP;
    if (q->fifo || q->settling || !free)
        return SERVICE_REFUSED;
    while (!(free >> f & 1))
        f++;
    taken |= 1u << f;
    q->fifo = f;
    if (!(NIU_REG(NIU_EXPRESS_DIVERTED) >> f & 1))
        fill(f);
    NIU_REG(NIU_RESIDENT(f)) = NIU_RESIDENT_VALID(1) | NIU_RESIDENT_RXQ(FIRST_RXQ + index);
    send_marker(index);
    return 0;
}

static uint32_t park(uint32_t index) {
    struct queue *q = &queues[index];
    if (!q->fifo || q->settling)
        return SERVICE_REFUSED;
    NIU_REG(NIU_RESIDENT(q->fifo)) = 0;
    NIU_REG(NIU_QUEUE_OWNERS(q->fifo)) = 1u << index / OF_AP; /* who shared it takes no more */
    send_marker(index);
    return 0;
}

uint32_t named_fifos(uint32_t ap) { return fifos[ap] & taken; }

static void settled(uint32_t index) {
    struct queue *q = &queues[index];
    uint32_t f = q->fifo;
    q->settling = 0;
    if (!NIU_REG(NIU_RESIDENT(f))) { /* parked */
        taken &= ~(1u << f);
        q->fifo = 0;
    }
    tt_answer_name(TT.site << 3 | (FIRST_AP + index / OF_AP), SERVICE_NAMED, f);
}

/* Senders go on when no queue of this aP is half full. The FIFO takes messages itself when nothing is before them, in the ring or on its way to us. */
static void have_read(uint32_t ap, const struct queue *read) {
    uint32_t full = !holding[ap];
    for (struct queue *q = &queues[ap * OF_AP]; !full && q < &queues[(ap + 1) * OF_AP]; q++)
        full = q->ring && unread(q) >= q->slots / 2;
    for (struct queue *q = &queues[ap * OF_AP]; !full && q < &queues[(ap + 1) * OF_AP]; q++)
        if (q->ring)
            q->ring[HELD] = 0;
    if (!full) {
        holding[ap] = 0;
        overflow_go_on_named(ap);
    }
    if (read->fifo && !read->settling && unread(read) == 0) {
        uint32_t diverted = NIU_REG(NIU_EXPRESS_KEPT(read->fifo));
        if (NIU_REG(NIU_COUNT_NON_RESIDENT) == kept)
            NIU_REG(NIU_EXPRESS_KEPT(read->fifo)) = diverted; /* nothing, if one more has been kept since */
    }
}

/* Lets an aP or a host's process send to the queue, or no more; its sP answers. */
static uint32_t grant(uint32_t ap, uint32_t index, uint32_t word) {
    uint32_t name = word >> 3 & 0x1FF, site = name >> 3, to = (name & 7) - FIRST_AP;
    if (site >= TT.sites || to >= TT.aps)
        return SERVICE_REFUSED;
    if (niu_low_free() <= NIU_LOW_RESERVE || moved_under(index))
        return NAMED_BUSY;
    queues[index].granted = 1;
    niu_express_to(site << 3 | 1, SERVICE_ROW,
                   ROW_WORD(0, names[index], named_place(TT.site, index)) | to << ROW_AP | (word >> 12 & 1) << ROW_VALID | ap << ROW_ASKER);
    return 0;
}

/* `word` has the queue, of this site or another, that is to have our name. */
static uint32_t move(uint32_t ap, uint32_t index, uint32_t word) {
    uint32_t to = word >> 3 & 0x1F, site = word >> 8 & 0x3F;
    if (queues[index].fifo || queues[index].settling || site >= TT.sites)
        return SERVICE_REFUSED;
    return moved_begin(ap, index, names[index], named_place(site, to));
}

uint32_t named_adopt(uint32_t place, uint32_t name) {
    uint32_t index = (place & 0x1FF) - FIRST_RXQ;
    if (index >= TT.aps * OF_AP || !queues[index].ring || queues[index].expects != name || moved_under(index))
        return 0;
    uint32_t had = names[index];
    queues[index].expects = 0;
    queues[index].granted = 1;
    names[index] = name;
    return had;
}

void named_exchange(uint32_t index, uint32_t name) {
    queues[index].granted = 0;
    names[index] = name;
}

void service_named(uint32_t word, uint32_t meta) {
    uint32_t source = meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK, ap = (source & 7) - FIRST_AP, what = word >> 29, answer = SERVICE_REFUSED;
    uint32_t index = ap * OF_AP + word % OF_AP;
    if (source >> 3 != TT.site || ap >= TT.aps) {
        service_unknown(word, meta);
        return;
    }
    if (what == OPEN)
        answer = open(ap, word);
    else if (queues[index].ring && what == CLOSE)
        answer = close(&queues[index]);
    else if (queues[index].ring && what == HAVE_READ)
        return have_read(ap, &queues[index]);
    else if (queues[index].ring && what == EXPECT && !queues[index].granted)
        answer = 0, queues[index].expects = word >> 3 & 0x1FF;
    else if (queues[index].ring && what != EXPECT) {
        answer = what == RESUME ? resume(ap, index) : what == PARK ? park(index) : what == GRANT ? grant(ap, index, word) : move(ap, index, word);
        if (answer == 0)
            return;
    }
    tt_answer(meta, answer);
}

void named_row(uint32_t ap, uint32_t name, uint32_t place, uint32_t valid) {
    for (uint32_t from = FIRST_AP + ap; from < 16; from += 8) /* Express and Basic; paced, for an sP takes each message */
        NIU_REG(NIU_TRANSLATION(from * NAMES + name)) = NIU_TRANSLATION_VALID(valid) | NIU_TRANSLATION_PACED(1) | NIU_TRANSLATION_SITE(place >> 9) |
                                                        NIU_TRANSLATION_RXQ(place & 0x1FF) | NIU_TRANSLATION_SOURCE(TT.site << 3 | (FIRST_AP + ap));
}

void service_row(uint32_t word, uint32_t meta) {
    uint32_t by = meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK, name = word & 0x1FF, ap = word >> ROW_AP & 3, place = word >> ROW_PLACE & 0x7FFF;
    if (by & 7 || ap >= TT.aps || name < 8 * TT.sites) {
        service_unknown(word, meta);
        return;
    }
    if (word >> 29) {
        moved_asked(by >> 3, word >> 29, name, place);
        return;
    }
    named_row(ap, name, place, word >> ROW_VALID & 1);
    tt_answer_name((by & ~7u) | (FIRST_AP + (word >> ROW_ASKER & 3)), SERVICE_NAMED, name);
}

/* A slot as the hardware writes it into a Basic ring; the second word is 1 of a Basic message. */
static void append(struct queue *q, uint32_t word, uint32_t meta, uint32_t head, uint32_t basic, uint32_t bytes) {
    volatile uint32_t *slot = q->ring + BYTES / 4 + (q->came & (q->slots - 1)) * SLOT_WORDS;
    const volatile uint32_t *body = (const volatile uint32_t *)(SP_SLOTS_BASE + (meta >> META_MESSAGE_SLOT_SHIFT & META_MESSAGE_SLOT_MASK) * SP_SLOT_BYTES);
    slot[0] = head;
    slot[1] = basic;
    if (!basic)
        slot[2] = word;
    for (uint32_t i = 0; basic && i < (bytes + 3) / 4; i++)
        slot[2 + i] = body[i];
    q->ring[CAME] = ++q->came;
}

int named_kept(uint32_t word, uint32_t meta, uint32_t low, uint32_t high) {
    uint32_t rxq = low >> 16 & 0x1FF, index = rxq - FIRST_RXQ, basic = low >> 13 & 7, bytes = basic ? high >> 14 & 127 : 0;
    kept++;
    if (index >= TT.aps * OF_AP || !queues[index].ring || basic > 1 || high >> 12 & 3 || bytes > 88 || (!basic && high >> 7 & 31))
        return 0;
    struct queue *q = &queues[index];
    uint32_t name = meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK;
    if ((name & 7) < FIRST_AP) {
        niu_drop();
        settled(index);
        return 1;
    }
    uint32_t n = unread(q);
    if (n == q->slots) {
        q->ring[LOST] = q->ring[LOST] + 1;
        tt_complain("a message is lost, for the ring of its queue is full: receive queue, sender", rxq, name);
    } else {
        append(q, word, meta, name | bytes << 16 | (high >> 29 & 1) << 23 | (meta >> META_MESSAGE_TAG_SHIFT & META_MESSAGE_TAG_MASK) << 26, basic, bytes);
    }
    niu_drop(); /* after its body was read */
    if (n >= q->slots / 2) {
        q->ring[HELD] = holding[index / OF_AP] = 1;
        overflow_hold_named(index / OF_AP, basic, name);
    }
    return 1;
}
