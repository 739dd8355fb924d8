#include "hosts.h"
#include "tempest.h"

enum { QUEUES = 8, FIRST_AP = 2, ALL = 0x10000 };

static uint32_t hosts, lost[QUEUES];

int hosts_own(uint32_t k) { return k < QUEUES && hosts >> k & 1; }

static void name(uint32_t txq, uint32_t site, uint32_t k) {
    NIU_REG(NIU_TRANSLATION(txq * 512 + (site << 3 | k))) = NIU_TRANSLATION_VALID(1) | NIU_TRANSLATION_SITE(site) | NIU_TRANSLATION_RXQ(k) |
                                                            NIU_TRANSLATION_SOURCE(TT.site << 3 | txq);
}

static int is_ap(uint32_t k) { return k >= FIRST_AP && k < FIRST_AP + TT.aps; }

void hosts_init(uint32_t queues) {
    hosts = queues;
    if (queues == 0)
        return;
    for (uint32_t site = 0; site < TT.sites; site++)
        for (uint32_t txq = FIRST_AP; txq < QUEUES; txq++)
            for (uint32_t k = FIRST_AP; k < QUEUES; k++)
                if ((hosts_own(txq) && (hosts_own(k) || is_ap(k))) || (is_ap(txq) && hosts_own(k)))
                    name(txq, site, k);
}

void hosts_lost(uint32_t queue, uint32_t meta) {
    niu_drop();
    tt_complain("a message is lost, for a host has not read its queue: receive queue, sender", queue, meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK);
    NIU_REG(NIU_EXPRESS_KEPT(queue)) = ++lost[queue] % ALL;
}
