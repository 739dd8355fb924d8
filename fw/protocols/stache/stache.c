/** \file Stache's descriptor: what the rest of the firmware knows of it. */
#include "stache.h"

/* Several sharers are asked in one go, so the number of acks is that of Inval ROs. */
const struct tt_protocol stache = {
    .name = "stache",
    .modes = {{.name = "stache",
               .home = {stache_home_read, stache_home_write, TT_READ_WRITE, sizeof(struct stache_dir)},
               .copy = {stache_copy_read, stache_copy_write, TT_INVALID, 1},
               .open = stache_opened,
               .leave = stache_left}},
    .messages = {[STACHE_GET_RO] = {"GetRO", stache_get_ro, TT_LOW, .stage = TT_READ_ASKED},
                 [STACHE_GET_RW] = {"GetRW", stache_get_rw, TT_LOW},
                 [STACHE_UPGRADE] = {"Upgrade", stache_upgrade, TT_LOW},
                 [STACHE_INVAL_RO] = {"InvalRO", stache_inval_ro, TT_LOW},
                 [STACHE_INVAL_RW] = {"InvalRW", stache_inval_rw, TT_LOW, .stage = TT_READ_UNCLEAN},
                 [STACHE_DATA_RO] = {"DataRO", stache_data_ro, TT_HIGH, .data = 1, .stage = TT_READ_DATA, .part = stache_data_part},
                 [STACHE_DATA_RW] = {"DataRW", stache_data_rw, TT_HIGH, .data = 1, .part = stache_data_part},
                 [STACHE_RECALL] = {"Recall", stache_recall, TT_HIGH, .data = 1, .part = stache_recall_part},
                 [STACHE_ACK] = {"Ack", stache_ack, TT_HIGH},
                 [STACHE_GRANT] = {"Grant", stache_grant, TT_HIGH},
                 [STACHE_NONE] = {"None", stache_none, TT_HIGH}},
    .counters = {[GET_RO] = "get_ro", [GET_RW] = "get_rw", [UPGRADE] = "upgrade", [INVAL_RO] = "inval_ro", [INVAL_RW] = "inval_rw", [ACK] = "ack", [GRANT] = "grant"},
    TT_INVARIANT(stache_invariant)};

#ifdef TT_WORKSTATION
/* One writer or many readers; at rest the directory knows who holds the block. */
const char *stache_invariant(uint32_t a, uint32_t sites, const uint8_t *tags, int rest) {
    uint32_t writers = 0, readers = 0, home = TT_NO_SITE;
    for (uint32_t site = 0; site < sites; site++) {
        writers += tags[site] == TT_READ_WRITE;
        readers += tags[site] == TT_READ_ONLY;
        if (tt_page_at(site, a)->state == TT_HOME)
            home = site;
    }
    if (writers > 1 || (writers && readers))
        return "a site may write a block that another may read or write";
    if (!rest || home == TT_NO_SITE)
        return 0;
    const struct stache_dir *d = stache_dir_of(tt_page_at(home, a), a);
    if (d->state >= BUSY_INV || d->head || d->home_asks)
        return "at rest a block is busy, or a request waits";
    for (uint32_t site = 0; site < sites; site++) {
        const uint8_t known = site == home ? (d->state == ALONE ? TT_READ_WRITE : d->state == SHARED ? TT_READ_ONLY : TT_INVALID)
                              : d->state == REMOTE && d->owner == site ? TT_READ_WRITE
                              : d->state == SHARED && d->sharers >> site & 1 ? TT_READ_ONLY : TT_INVALID;
        if (tags[site] != known && !(tags[site] == TT_BUSY && known == TT_INVALID))
            return "at rest a tag is not what the directory says";
    }
    return 0;
}
#endif
