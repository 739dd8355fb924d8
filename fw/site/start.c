/** \file What every image begins with: tables, queues, aPs released. */
#include "dma.h"
#include "events.h"
#include "hosts.h"
#include "named.h"
#include "overflow.h"
#include "queues.h"
#include "services.h"
#include "site.h"
#include "tempest.h"

struct tt_state TT;
/** Where the simulator finds the counters, the framework's and those of the protocols. */
struct tt_stats *const tt_stats __attribute__((used)) = &TT.stats;
uint32_t *const tt_counters __attribute__((used)) = TT.counters;
/** Filled by the loader (contract §8), before anything runs: no start-up clears it. */
volatile struct tt_config tt_config __attribute__((section(".noinit")));

static void handle(uint32_t event, tt_handler *h) { NIU_REG(NIU_HANDLER(event)) = (uint32_t)h; }

/* In pages of a context; 0: those that are not open. */
static void handle_in(uint32_t context, uint32_t event, tt_handler *h) {
    if (context)
        NIU_REG(NIU_PAGE_HANDLER(context * 64 + event)) = (uint32_t)h;
    else
        handle(event, h);
}

enum { WRITE = 1 /* class of a fault */, TAGS = 32 };

static void events_init(void) {
    for (uint32_t i = 0; i < 128; i++) {
        tt_handler *h = tt_event_handler(i);
        handle(i, h ? h : i >= EVENT_SERVICE && i < EVENT_SERVICE + TAGS ? service_unknown : fault_other);
    }
    for (uint32_t context = 1; context <= 2 * TT.mode_count; context++)
        for (uint32_t i = 0; i < EVENT_SERVICE; i++) {
            tt_handler *h = tt_context_handler(context, i);
            handle_in(context, i, h ? h : fault_other);
        }
    handle(EVENT_IDLE, image_idle);
    handle(EVENT_TIMER, overflow_timer);
    handle(EVENT_ILLEGAL, fault_illegal);
    handle(EVENT_BUS_ERROR, fault_bus_error);
    handle(EVENT_COMMAND_MISMATCH, fault_mismatch);
    handle(EVENT_NON_RESIDENT, overflow_kept);
    handle(EVENT_EXPRESS_ROOM, overflow_room);
    handle(EVENT_RING_FILLS, overflow_ring_fills);
    handle(EVENT_RING_READ, overflow_ring_read);
    handle(EVENT_HIGH_STOPPED, fault_high_stopped);
    handle(EVENT_COMMANDS_UNTOLD, fault_untold);
    handle(EVENT_TRANSLATION_FAULT, fault_translation);
    handle(EVENT_SERVICE + SERVICE_QUEUE, service_queue);
    handle(EVENT_SERVICE + SERVICE_ONE_POLL, service_one_poll);
    handle(EVENT_SERVICE + SERVICE_DMA, service_dma);
    handle(EVENT_SERVICE + SERVICE_NAMED, service_named);
    handle(EVENT_SERVICE + SERVICE_ROW, service_row);
    handle(EVENT_SERVICE + SERVICE_ROWED, service_rowed);
    handle(EVENT_SERVICE + SERVICE_HOLD, service_hold);
    handle(EVENT_SERVICE + SERVICE_RESUME, service_resume);
    for (uint32_t context = 0; context <= 2 * TT.mode_count; context++)
        handle_in(context, EVENT_FAULT + CLS_OTHER * 4 + WRITE, fault_page_write);
}

/* Queue names (contract §4): k = 0 sP protocol, 1 sP services, 2.. aPs; a Basic queue reaches Basic queues, and by k = 1 the DMA
 * of its own site. */
static void name(uint32_t txq, uint32_t site, uint32_t k, uint32_t rxq, uint32_t source) {
    uint32_t paced = txq != 0 && rxq < 2; /* an aP to an sP */
    NIU_REG(NIU_TRANSLATION(txq * 512 + (site << 3 | k))) = NIU_TRANSLATION_VALID(1) | NIU_TRANSLATION_PACED(paced) | NIU_TRANSLATION_SITE(site) |
                                                            NIU_TRANSLATION_RXQ(rxq) | NIU_TRANSLATION_SOURCE(source);
}

static void names_init(void) {
    uint32_t self = TT.site << 3;
    for (uint32_t site = 0; site < TT.sites; site++)
        for (uint32_t k = 0; k < 2 + TT.aps; k++) {
            name(0, site, k, k, self);
            for (uint32_t ap = 0; ap < TT.aps; ap++) {
                if (k != 0) /* an aP does not speak the protocol */
                    name(2 + ap, site, k, k, self | (2 + ap));
                if (k >= 2)
                    name(10 + ap, site, k, 8 + k, self | (2 + ap));
            }
            if (k >= 2) /* answers of DMA */
                name(8, site, k, 8 + k, self);
        }
    for (uint32_t ap = 0; NIU_REG(NIU_DMA_UNIT) && ap < TT.aps; ap++) /* the source says whose transfer it is */
        name(10 + ap, TT.site, 1, 9, 10 + ap);
}

void firmware_init(void) {
    if (tt_config.magic != TT_MAGIC)
        tt_panic("tt_config: magic found, wanted", tt_config.magic, TT_MAGIC);
    struct tt_config config = {tt_config.magic, tt_config.sites, tt_config.aps, tt_config.block_log2, tt_config.home_policy,
                               tt_config.heap, tt_config.heap_end, tt_config.memory_end, tt_config.private_bytes,
                               tt_config.hosts};
    config.memory_end = dma_memory(config.memory_end, config.aps, config.private_bytes);
    if (config.sites != NIU_REG(NIU_SITES) || config.aps != NIU_REG(NIU_APS))
        tt_panic("tt_config says other sites or aPs than the hardware", config.sites, config.aps);
    if (config.block_log2 < 6 || config.block_log2 > 11)
        tt_panic("block size: log2 given, legal 6 to 11", config.block_log2, 11);
    if (config.heap_end <= config.heap || (config.heap_end - config.heap) >> TT_PAGE_SHIFT > TT_MOST_PAGES || config.memory_end < config.heap_end + KEPT_BYTES)
        tt_panic("shared heap: its address and end, of 114688 pages at most", config.heap, config.heap_end);
    tt_state_init(NIU_REG(NIU_SITE_ID), &config);
    tt_places_init(NIU_REG(NIU_EV_DEPTH) >> NIU_EV_DEPTH_HIGH_SHIFT & NIU_EV_DEPTH_HIGH_MASK, NIU_REG(NIU_SLOTS_HIGH));
    events_init();
    names_init();
    hosts_init(config.hosts);
    queues_init(config.private_bytes);
    named_init(config.private_bytes);
    dma_init(config.private_bytes);
    NIU_REG(NIU_AP_RUN) = (1u << config.aps) - 1;
}
