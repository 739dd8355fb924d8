/** \file What an image of several protocols has: its modes, and which handler an event gets. Numbers of events: contract §5. */
#include "events.h"
#include "services.h"
#include "tempest.h"

static const struct tt_message *row_of(const struct tt_protocol *t, uint32_t type) {
    return t->messages[type].channel ? &t->messages[type] : type && t->messages[type - 1].data ? &t->messages[type - 1] : 0;
}
static tt_handler *handler_of(const struct tt_protocol *t, uint32_t type) {
    const struct tt_message *m = row_of(t, type);
    return !m ? 0 : m == &t->messages[type] ? m->handler : m->part;
}

void tt_message(const struct tt_page *p, uint32_t a, uint32_t meta) {
    tt_handler *h = handler_of(TT.modes[p->mode].protocol, tt_type_of(meta));
    if (h)
        h(a, meta);
    else
        tt_error("a message that the page's protocol does not have: address, meta", a, meta);
}

/* A number that several protocols have, or a message that may come before its page is open: the page says whose it is. */
static void by_page(uint32_t a, uint32_t meta) {
    const struct tt_page *p = tt_page_of(a);
    if (p->state < TT_HOME)
        tt_page_defer(a, meta);
    else
        tt_message(p, a, meta);
}

static tt_handler *message_handler(uint32_t type) {
    if (type == TT_PAGE_ASK)
        return tt_on_page_ask;
    if (type == TT_PAGE_INFO)
        return tt_on_page_info;
    const struct tt_protocol *only = 0;
    uint32_t users = 0;
    for (uint32_t i = 0; type < TT_MESSAGES && tt_protocols[i]; i++)
        if (handler_of(tt_protocols[i], type)) {
            only = tt_protocols[i];
            users++;
        }
    if (users == 0)
        return 0;
    const struct tt_message *m = row_of(only, type);
    return users == 1 && (m->channel == TT_HIGH || m->defers) ? handler_of(only, type) : by_page;
}

enum { READ, WRITE, UPGRADE, CLASSES = 4 };

static tt_handler *fault_handler(uint32_t tag, uint32_t class) {
    if (class > UPGRADE || tag > TT_READ_ONLY)
        return 0;
    if (tag == TT_BUSY)
        return tt_on_page_fault;
    return class == READ ? (tag == TT_INVALID ? tt_on_read_fault : 0) : tt_on_write_fault;
}

tt_handler *tt_event_handler(uint32_t event) {
    if (event < EVENT_FAULT)
        return message_handler(event - EVENT_MESSAGE);
    if (event < EVENT_SERVICE)
        return fault_handler((event - EVENT_FAULT) / CLASSES, (event - EVENT_FAULT) % CLASSES);
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
    for (uint32_t i = 0; tt_protocols[i]; i++)
        for (uint32_t k = 0; k < TT_MODES && tt_protocols[i]->modes[k].name; k++)
            TT.modes[TT.mode_count++] = (struct tt_image_mode){&tt_protocols[i]->modes[k], tt_protocols[i], most_log2(tt_protocols[i])};
}

/** What the dispatch loop does, for the workstation. */
void tt_event(uint32_t event, uint32_t a, uint32_t meta) {
    tt_handler *h = tt_event_handler(event);
    if (!h)
        tt_panic("an event without a handler: event, argument", event, a);
    h(a, meta);
}
