/** \file Transfers of the aPs from memory to memory (VY-21), at sites whose NIU has DMA. */
#ifndef DMA_H
#define DMA_H
#include "events.h"

/** Request of an aP to its own sP about pages of its window: `first[15:0] count[19:16]`, at [31:30] 0 close or 1 open them to others, 2 look at or 3 clear their marks. */
enum { SERVICE_DMA = 11 };

/** Where memory ends for all others: behind it are the page tables, of a site with DMA. `window_bytes`: of the private window of an aP. */
uint32_t dma_memory(uint32_t end, uint32_t aps, uint32_t window_bytes);
void dma_init(uint32_t window_bytes);
tt_handler service_dma;
#endif
