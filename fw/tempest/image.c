/** \file What an image of several protocols has: its modes, and which handler an event gets. Numbers of events: contract §5. */
#include "events.h"
#include "services.h"
#include "tempest.h"

enum { READ, WRITE, UPGRADE, CLASSES = 4 };

uint32_t tt_context(const struct tt_page *p) { return 1 + 2 * p->mode + (p->state != TT_HOME); }

static tt_handler *message_handler(const struct tt_protocol *t, uint32_t type) {
    if (type < TT_MESSAGES && t->messages[type].channel)
        return t->messages[type].handler;
    return type && type <= TT_MESSAGES && t->messages[type - 1].data ? t->messages[type - 1].part : 0;
}

static tt_handler *fault_handler(const struct tt_side *side, uint32_t tag, uint32_t class) {
    if (tag == TT_BUSY && class <= UPGRADE) /* its tags are about to be set */
        return tt_on_page_fault;
    if (class == READ)
        return tag == TT_INVALID ? side->read : 0;
    return class <= UPGRADE && (tag == TT_INVALID || tag == TT_READ_ONLY) ? side->write : 0;
}

tt_handler *tt_context_handler(uint32_t context, uint32_t event) {
    const struct tt_image_mode *m = &TT.modes[(context - 1) / 2];
    if (event < EVENT_FAULT)
        return message_handler(m->protocol, event - EVENT_MESSAGE);
    return fault_handler((context - 1) % 2 ? &m->mode->copy : &m->mode->home, (event - EVENT_FAULT) / CLASSES, (event - EVENT_FAULT) % CLASSES);
}

/* The hardware saw no open page when the event came to the head of its FIFO; it may be open now. */
static void message_of_no_page(uint32_t a, uint32_t meta) {
    const struct tt_page *p = tt_page_of(a);
    if (p->state < TT_HOME)
        tt_page_defer(a, meta);
    else
        tt_context_handler(tt_context(p), EVENT_MESSAGE + tt_type_of(meta))(a, meta);
}
static void fault_of_no_page(uint32_t a, uint32_t meta, uint32_t class) {
    const struct tt_page *p = tt_page_of(a);
    if (p->state < TT_HOME)
        tt_page_touch(tt_page_of(a), a);
    else
        tt_context_handler(tt_context(p), EVENT_FAULT + TT_INVALID * CLASSES + class)(a, meta);
}
void tt_on_read_fault(uint32_t a, uint32_t meta) { fault_of_no_page(a, meta, READ); }
void tt_on_write_fault(uint32_t a, uint32_t meta) { fault_of_no_page(a, meta, WRITE); }

tt_handler *tt_event_handler(uint32_t event) {
    if (event < EVENT_FAULT)
        return event < TT_MESSAGES ? message_of_no_page : event == TT_PAGE_ASK ? tt_on_page_ask : event == TT_PAGE_INFO ? tt_on_page_info : 0;
    if (event < EVENT_SERVICE) {
        const uint32_t tag = (event - EVENT_FAULT) / CLASSES, class = (event - EVENT_FAULT) % CLASSES;
        return tag > TT_READ_ONLY || class > UPGRADE ? 0 : tag == TT_BUSY ? tt_on_page_fault : class == READ ? tt_on_read_fault : tt_on_write_fault;
    }
    if (event < EVENT_SERVICE + 32)
        return tt_service_handler(event - EVENT_SERVICE);
    return event == EVENT_TIMER ? tt_on_timer : 0;
}

/* A protocol that takes no parts of blocks has blocks of two lines at most. */
static uint32_t most_log2(const struct tt_protocol *t) {
    for (uint32_t type = 0; type < TT_MESSAGES; type++)
        if (t->messages[type].data && !t->messages[type].part)
            return 1;
    return 5;
}

void tt_image_init(void) {
    for (uint32_t i = 0; tt_protocols[i]; i++) {
        if (tt_protocols[i]->site_bytes)
            TT.site_state[i] = tt_alloc(tt_protocols[i]->site_bytes);
        for (uint32_t k = 0; k < TT_MODES && tt_protocols[i]->modes[k].name; k++)
            TT.modes[TT.mode_count++] = (struct tt_image_mode){&tt_protocols[i]->modes[k], tt_protocols[i], most_log2(tt_protocols[i])};
    }
}

/** What the hardware's tables and the dispatch loop do, for the workstation. */
void tt_event(uint32_t event, uint32_t a, uint32_t meta) {
    const struct tt_page *p = event < EVENT_MESSAGE + TT_MESSAGES || (event >= EVENT_FAULT && event < EVENT_SERVICE) ? tt_page_of(a) : 0;
    tt_handler *h = p && p->state >= TT_HOME ? tt_context_handler(tt_context(p), event) : tt_event_handler(event);
    if (!h)
        tt_panic("an event without a handler: event, argument", event, a);
    niu_event(a, meta);
    h(a, meta);
}
