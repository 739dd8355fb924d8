#include "hosts.h"
#include "tempest.h"

enum { QUEUES = 8, FIRST_AP = 2, ALL = 0x10000 };

static uint32_t hosts, lost[QUEUES];

int hosts_own(uint32_t k) { return k < QUEUES && hosts >> k & 1; }

/* Of Express and of Basic messages alike: Basic queue 8 + k has the name k too. */
static void name(uint32_t from, uint32_t site, uint32_t k) {
    for (uint32_t basic = 0; basic <= 8; basic += 8)
        NIU_REG(NIU_TRANSLATION((from + basic) * 512 + (site << 3 | k))) = NIU_TRANSLATION_VALID(1) | NIU_TRANSLATION_SITE(site) | NIU_TRANSLATION_RXQ(k + basic) |
                                                                          NIU_TRANSLATION_SOURCE(TT.site << 3 | from);
}

static int is_ap(uint32_t k) { return k >= FIRST_AP && k < FIRST_AP + TT.aps; }

/* A Basic queue for each Express queue of a host, and its ring in the host's reach; no tag-on area: what has lines is lost and told. */
static void rings_init(void) {
    uint32_t base = TT.heap_end + HOST_RINGS;
    for (uint32_t k = 0; k < QUEUES; k++) {
        if (!hosts_own(k))
            continue;
        NIU_REG(NIU_BASIC_TX_BASE(k)) = base;
        NIU_REG(NIU_BASIC_TX_SIZE(k)) = HOST_RING_TX_LOG2;
        NIU_REG(NIU_BASIC_RX_BASE(k)) = base + AP_PAGE_BYTES;
        NIU_REG(NIU_BASIC_RX_SIZE(k)) = HOST_RING_RX_LOG2;
        base += HOST_RING_BYTES;
    }
}

void hosts_init(uint32_t queues) {
    hosts = queues;
    if (queues == 0)
        return;
    rings_init();
    for (uint32_t site = 0; site < TT.sites; site++)
        for (uint32_t from = FIRST_AP; from < QUEUES; from++)
            for (uint32_t k = FIRST_AP; k < QUEUES; k++)
                if ((hosts_own(from) && (hosts_own(k) || is_ap(k))) || (is_ap(from) && hosts_own(k)))
                    name(from, site, k);
}

void hosts_lost(uint32_t queue, uint32_t meta) {
    niu_drop();
    tt_complain("a message is lost, for a host has not read its queue: receive queue, sender", queue, meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK);
    NIU_REG(NIU_EXPRESS_KEPT(queue)) = ++lost[queue] % ALL;
}
