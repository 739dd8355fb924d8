/** \file
 * DMA of the aPs (VY-21, VY-47): a page table for each (BZ-36), in the last part of DRAM, says what its transfers may read, and what it has opened to those
 * of others.
 */
#include "dma.h"
#include "services.h"
#include "tempest.h"

enum { FIRST_AP = 2, PAGE_SHIFT = 12, OF_OWNER = TLB_PAGE_READ(1) | TLB_PAGE_TOLD(1), RIGHTS_BYTE = 2, MARKS_BYTE = 3, MARKS = 2, MOST = 15 };
enum { CLOSE, OPEN, LOOK, CLEAR };

static uint32_t private_pages;

static uint32_t table_bytes(uint32_t window_bytes) { return window_bytes >> PAGE_SHIFT << 2; }
static uint32_t table(uint32_t ap) { return TT.memory_end + ap * table_bytes(private_pages << PAGE_SHIFT); }
static uint32_t page_word(uint32_t ap, uint32_t page) {
    return TLB_PAGE_FRAME((MEMORY_BASE >> PAGE_SHIFT) + ap * private_pages + page) | OF_OWNER;
}

uint32_t dma_memory(uint32_t end, uint32_t aps, uint32_t window_bytes) {
    return NIU_REG(NIU_DMA_UNIT) ? end - aps * table_bytes(window_bytes) : end;
}

void dma_init(uint32_t window_bytes) {
    private_pages = window_bytes >> PAGE_SHIFT;
    for (uint32_t ap = 0; NIU_REG(NIU_DMA_UNIT) && ap < TT.aps; ap++) {
        for (uint32_t page = 0; page < private_pages; page++)
            ((volatile uint32_t *)table(ap))[page] = page_word(ap, page);
        NIU_REG(NIU_TLB_FIRST(FIRST_AP + ap)) = AP_PRIVATE_BASE;
        NIU_REG(NIU_TLB_TABLE(FIRST_AP + ap)) = table(ap);
        NIU_REG(NIU_TLB_PAGES(FIRST_AP + ap)) = private_pages;
    }
}

/* No transfer uses the page as it was; the bytes of its word that were stored are in DRAM before. */
static void forget(uint32_t ap, uint32_t page) {
    NIU_REG(NIU_TLB_FORGET) = NIU_TLB_FORGET_QUEUE(FIRST_AP + ap) | NIU_TLB_FORGET_PAGE((AP_PRIVATE_BASE >> PAGE_SHIFT) + page);
    while (NIU_REG(NIU_TLB_FORGET) & NIU_TLB_FORGET_BUSY(1)) {
    }
}

static uint32_t pages_of(uint32_t ap, uint32_t first, uint32_t pages, uint32_t what) {
    uint32_t marks = 0;
    for (uint32_t i = 0; i < pages; i++) {
        volatile uint8_t *bytes = (volatile uint8_t *)(table(ap) + (first + i) * 4);
        if (what == LOOK || what == CLEAR)
            marks |= (bytes[MARKS_BYTE] & ((1u << MARKS) - 1)) << MARKS * i;
        if (what == CLEAR)
            bytes[MARKS_BYTE] = 0;
        if (what == OPEN || what == CLOSE)
            bytes[RIGHTS_BYTE] = (page_word(ap, first + i) | TLB_PAGE_OPEN(what == OPEN)) >> 8 * RIGHTS_BYTE;
        if (what != LOOK) {
            (void)bytes[RIGHTS_BYTE]; /* a load waits for the stores before it */
            forget(ap, first + i);
        }
    }
    return marks;
}

void service_dma(uint32_t word, uint32_t meta) {
    uint32_t source = meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK, ap = (source & 7) - FIRST_AP;
    uint32_t first = word & 0xFFFF, pages = word >> 16 & 0xF, what = word >> 30;
    uint32_t legal = NIU_REG(NIU_DMA_UNIT) && source >> 3 == TT.site && ap < TT.aps && pages <= MOST && first <= private_pages && pages <= private_pages - first;
    tt_answer(meta, legal ? pages_of(ap, first, pages, what) : SERVICE_REFUSED);
}
