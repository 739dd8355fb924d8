/* Express messages by the aP's own queue pair: one store sends, two loads receive. */
#include "../common/message.h"
#include "niu.h"
#ifdef TS_SOFT
#include "../soft/soft.h"
#endif

enum { META_EMPTY = 0, META_MESSAGE = 1 };

/* Of other processes, come while the runtime waited for an answer. An aP keeps them whatever process runs on it. */
static struct kept {
    uint32_t came, taken;
    struct { uint32_t meta, word; } message[TS_EXPRESS_KEPT];
} kept __attribute__((section(".own")));

static uint32_t field(uint32_t meta, uint32_t shift, uint32_t mask) { return meta >> shift & mask; }
static uint32_t source_of(uint32_t meta) { return field(meta, EXPRESS_META_SOURCE_SHIFT, EXPRESS_META_SOURCE_MASK); }
static uint32_t tag_of(uint32_t meta) { return field(meta, EXPRESS_META_TAG_SHIFT, EXPRESS_META_TAG_MASK); }
static int of_sp(uint32_t meta) { return (source_of(meta) & 7) < NAME_AP; }

static volatile uint32_t *port(uint32_t name, uint32_t tag, uint32_t prio)
{
    return (volatile uint32_t *)(AP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(NAME_AP + own()->ap) + EXPRESS_TX_TAG(tag) + EXPRESS_TX_DEST(name) + EXPRESS_TX_PRIO(prio));
}

void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio)
{
    ap_fence();
    *port(name, tag, prio) = word;
}

ts_express_port_t ts_express_port(int to, unsigned tag, unsigned priority)
{
    check_express(to, tag, priority, ts_processes());
    return port(name_of((uint32_t)to), tag, priority);
}

static uint32_t page(void) { return AP_EXPRESS_RX_BASE + (NAME_AP + own()->ap) * AP_PAGE_BYTES; }
/* Dequeues, and latches the data; 0: there is none. */
static uint32_t take(uint32_t from)
{
    uint32_t meta = *(volatile uint32_t *)(from + AP_EXPRESS_RX_META);

    return field(meta, EXPRESS_META_TYPE_SHIFT, EXPRESS_META_TYPE_MASK) == META_MESSAGE ? meta : META_EMPTY;
}
static uint32_t data(uint32_t from) { return *(volatile uint32_t *)(from + AP_EXPRESS_RX_DATA); }

int express_kept(void) { return kept.taken != kept.came; }

void express_keep(uint32_t meta, uint32_t word)
{
    if (of_sp(meta))
        ts_fail("an answer with tag %lu of the sP of site %lu that nobody asked for", (unsigned long)tag_of(meta), (unsigned long)(source_of(meta) >> 3));
#ifdef TS_SOFT
    if (tag_of(meta) != TS_AP_START) {
        soft_express(meta, word);
        return;
    }
#endif
    if (kept.came - kept.taken == TS_EXPRESS_KEPT)
        ts_fail("process %d has %d Express messages to receive, and came to wait for something else: receive them first", ts_self(), TS_EXPRESS_KEPT);
    kept.message[kept.came % TS_EXPRESS_KEPT].meta = meta;
    kept.message[kept.came++ % TS_EXPRESS_KEPT].word = word;
}

/* The word of the next message with the tag, of an sP or of a process: an sP's answers have the tags of services, 16 among them. */
static uint32_t receive(uint32_t tag, int sp)
{
    const uint32_t from = page();

    for (;;) {
        uint32_t meta = take(from);
#ifdef TS_SOFT
        if (!meta) soft_poll_high();
#endif
        if (!meta) continue;
        uint32_t word = data(from);
        ap_fence();
        if (tag_of(meta) == tag && of_sp(meta) == sp) return word;
        if (of_sp(meta))
            ts_fail("an answer with tag %lu of the sP of site %lu while waiting for tag %lu", (unsigned long)tag_of(meta),
                    (unsigned long)(source_of(meta) >> 3), (unsigned long)tag);
        express_keep(meta, word);
    }
}

#ifdef TS_SOFT
int express_look(void)
{
    const uint32_t from = page();
    uint32_t meta = take(from);

    if (!meta) return 0;
    express_keep(meta, data(from));
    return 1;
}
#endif

uint32_t express_receive(uint32_t tag) { return receive(tag, 1); }
uint32_t express_receive_start(void) { return receive(TS_AP_START, 0); }

void express_deliver(ts_express_t *message, uint32_t meta, uint32_t word)
{
    if (of_sp(meta))
        ts_fail("an answer with tag %lu of the sP of site %lu that nobody asked for", (unsigned long)tag_of(meta), (unsigned long)(source_of(meta) >> 3));
    *message = (ts_express_t){
        .word = word, .from = process_of(source_of(meta)), .tag = tag_of(meta), .priority = field(meta, EXPRESS_META_PRIO_SHIFT, EXPRESS_META_PRIO_MASK)};
}

int ts_express_poll(ts_express_t *message)
{
    const uint32_t from = page();

    if (express_kept()) {
        const uint32_t k = kept.taken++ % TS_EXPRESS_KEPT;
        express_deliver(message, kept.message[k].meta, kept.message[k].word);
        return 1;
    }
    uint32_t meta = take(from);
    if (!meta) return 0;
    uint32_t word = data(from);
    ap_fence();
    express_deliver(message, meta, word);
    return 1;
}
