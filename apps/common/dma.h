/* Checks of arguments of transfers that are the same on every machine. */
#ifndef TS_DMA_CHECKS_H
#define TS_DMA_CHECKS_H

#include <turnstile.h>
#include <turnstile_dma.h>

static inline void check_put(const ts_dma_t *dma, int to, size_t bytes, int processes)
{
    if (!dma->queue) ts_fail("a transfer without DMA: ts_dma_open says whether this site has it");
    if ((unsigned)to >= (unsigned)processes) ts_fail("a transfer to process %d: the legal range is 0..%d", to, processes - 1);
    if (bytes < 1 || bytes > TS_DMA_BYTES) ts_fail("a transfer of %lu bytes: the legal range is 1..%d", (unsigned long)bytes, TS_DMA_BYTES);
}

static inline void check_pages(uintptr_t first, size_t bytes)
{
    if (first % TS_DMA_PAGE || bytes % TS_DMA_PAGE)
        ts_fail("memory open to transfers: %lu bytes at %lx: legal are multiples of %d", (unsigned long)bytes, (unsigned long)first, TS_DMA_PAGE);
}

static inline void check_number(const ts_dma_t *dma, uint32_t number)
{
    if (dma->begun - number - 1 >= TS_DMA_PLACES)
        ts_fail("waiting for transfer %lu: legal are the last %d before %lu", (unsigned long)number, TS_DMA_PLACES, (unsigned long)dma->begun);
}

#endif
