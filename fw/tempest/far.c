/** \file
 * Records of the pages beyond those that the sP's RAM has room for: first in the system's part of DRAM. It holds anything at the start, so
 * they are cleared some at a time, when one of them is asked for first.
 */
#include "tempest.h"

/* Of a page: both records. */
struct far {
    struct tt_page page;
    struct tt_registry registry;
} __attribute__((aligned(16)));

static struct far *far_at(uint32_t index) { return (struct far *)NIU_DRAM_BASE + (index - TT_PAGES); }

/* What lies behind must begin at a multiple of the largest states of a page. */
uint32_t tt_far_bytes(void) { return TT.page_count <= TT_PAGES ? 0 : ((TT.page_count - TT_PAGES) * sizeof(struct far) + 1023) & -1024; }

static int known(uint32_t block) { return TT.far_known[block / 32] >> block % 32 & 1; }

static struct far *far_of(uint32_t index) {
    const uint32_t block = (index - TT_PAGES) / TT_FAR_BLOCK, first = TT_PAGES + block * TT_FAR_BLOCK;
    if (index >= TT.page_count)
        tt_panic("a page beyond the heap: its number, pages of the heap", index, TT.page_count);
    if (!known(block)) {
        TT.far_known[block / 32] |= 1u << block % 32;
        for (uint32_t i = first; i < first + TT_FAR_BLOCK && i < TT.page_count; i++) {
            far_at(i)->page = (struct tt_page){.home = TT_NO_SITE};
            far_at(i)->registry = TT.fresh_registry;
        }
    }
    return far_at(index);
}

struct tt_page *tt_far_page(uint32_t index) { return &far_of(index)->page; }
struct tt_registry *tt_far_registry(uint32_t index) { return &far_of(index)->registry; }
uint32_t tt_far_index(const struct tt_page *p) { return TT_PAGES + (uint32_t)((const struct far *)p - far_at(TT_PAGES)); }

uint32_t tt_far_next(uint32_t index) {
    while (index < TT.page_count && !known((index - TT_PAGES) / TT_FAR_BLOCK))
        index = (index - TT_PAGES) / TT_FAR_BLOCK * TT_FAR_BLOCK + TT_FAR_BLOCK + TT_PAGES;
    return index < TT.page_count ? index : TT.page_count;
}
