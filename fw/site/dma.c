/** \file
 * DMA of the aPs (VY-21, VY-47): the rows by which their descriptors and the far ends' answers travel, and what each may send from and has opened.
 */
#include "dma.h"
#include "services.h"
#include "tempest.h"

enum { FIRST_AP = 2, OPEN = 8 /* rows of what others may write follow those of the owners */ };

static uint32_t private_bytes;

static void grant(uint32_t row, uint32_t ap, uint32_t offset, uint32_t bytes) {
    NIU_REG(NIU_DMA_FROM(row)) = AP_PRIVATE_BASE + offset;
    NIU_REG(NIU_DMA_BUS(row)) = MEMORY_BASE + ap * private_bytes + offset;
    NIU_REG(NIU_DMA_LINES(row)) = bytes / 64;
}

void dma_init(uint32_t window_bytes) {
    private_bytes = window_bytes;
    if (NIU_REG(NIU_DMA_UNIT))
        for (uint32_t ap = 0; ap < TT.aps; ap++)
            grant(FIRST_AP + ap, ap, 0, window_bytes);
}

void service_dma(uint32_t word, uint32_t meta) {
    uint32_t ap = (meta >> 15 & 7) - FIRST_AP, first = (word & 0xFFFF) * AP_PAGE_BYTES, bytes = (word >> 16) * AP_PAGE_BYTES;
    uint32_t legal = NIU_REG(NIU_DMA_UNIT) && (meta >> 15 & 0x1FF) >> 3 == TT.site && ap < TT.aps && first <= private_bytes && bytes <= private_bytes - first;
    if (legal)
        grant(OPEN + FIRST_AP + ap, ap, first, bytes);
    tt_answer(meta, legal ? 0 : SERVICE_REFUSED);
}
