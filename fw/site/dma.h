/** \file Transfers of the aPs from memory to memory (VY-21), at sites whose NIU has DMA. */
#ifndef DMA_H
#define DMA_H
#include "events.h"

/** Request of an aP to its own sP: others may write to these pages of its window, `first[15:0] count[31:16]`; to no others. */
enum { SERVICE_DMA = 11 };

/** `window_bytes`: of the private window of an aP. */
void dma_init(uint32_t window_bytes);
tt_handler service_dma;
#endif
