/* Transfers from memory to memory (VY-21): a descriptor is a Basic message to the own site's DMA unit, its end a word that the unit writes. */
#include <string.h>
#include <turnstile_service.h>

#include "../common/dma.h"
#include "../common/message.h"
#include "niu.h"

static uint32_t ask(unsigned what, uint32_t first, uint32_t pages)
{
    express_send(own()->site << 3 | NAME_SP_SERVICE, TS_SVC_DMA, TS_DMA_WORD(what, first, pages), PRIO_LOW);
    return express_receive(TS_SVC_DMA);
}

/* A few pages at a time: an sP has others to serve. */
static uint32_t of_pages(unsigned what, void *first, size_t bytes)
{
    uint32_t page = ((uintptr_t)first - AP_PRIVATE_BASE) / TS_DMA_PAGE, left = bytes / TS_DMA_PAGE, answer = 0;

    check_pages((uintptr_t)first, bytes);
    for (uint32_t now; left > 0; page += now, left -= now) {
        now = left < TS_DMA_MOST ? left : TS_DMA_MOST;
        answer = page < 0x10000 ? ask(what, page, now) : TS_SVC_REFUSED;
        if (answer == TS_SVC_REFUSED)
            ts_fail("memory open to transfers: %lu bytes at %p: legal is private memory, at a site with DMA", (unsigned long)bytes, first);
    }
    return answer;
}

int ts_dma_open(ts_dma_t *dma, ts_basic_t *queue)
{
    memset(dma, 0, sizeof *dma);
    if (ask(TS_DMA_LOOK, 0, 0) == TS_SVC_REFUSED) return 0;
    dma->queue = queue;
    return 1;
}

void ts_dma_accept(void *first, size_t bytes) { of_pages(TS_DMA_OPEN, first, bytes); }
void ts_dma_refuse(void *first, size_t bytes) { of_pages(TS_DMA_CLOSE, first, bytes); }
unsigned ts_dma_marks(void *page) { return of_pages(TS_DMA_CLEAR, page, TS_DMA_PAGE); }

static uint32_t put(ts_dma_t *dma, int to, void *target, const void *source, size_t bytes, ts_dma_end_t *flag, uint32_t cookie, uint32_t tells)
{
    check_put(dma, to, bytes, ts_processes());
    ts_dma_end_t *end = &dma->end[dma->begun % TS_DMA_PLACES];
    if (dma->begun >= TS_DMA_PLACES)
        while (end->status == 0) {
        }
    end->status = 0;
    uint32_t *words = basic_slot(dma->queue, own()->site << 3 | NAME_DMA, 0, 32, 0);
    words[0] = (uintptr_t)source;
    words[1] = (uintptr_t)target;
    words[2] = bytes;
    words[3] = DMA_DEST_NAME(name_of((uint32_t)to)) | tells;
    words[4] = (uintptr_t)end;
    words[5] = (uintptr_t)flag;
    words[6] = cookie;
    words[7] = 0;
    ts_basic_launch(dma->queue);
    return dma->begun++;
}

uint32_t ts_dma_put(ts_dma_t *dma, int to, void *target, const void *source, size_t bytes, ts_dma_end_t *flag, uint32_t cookie)
{
    return put(dma, to, target, source, bytes, flag, cookie, 0);
}

uint32_t ts_dma_put_message(ts_dma_t *dma, int to, void *target, const void *source, size_t bytes, unsigned tag, uint32_t cookie)
{
    check_express(to, tag, 0, ts_processes());
    return put(dma, to, target, source, bytes, NULL, cookie, DMA_DEST_TELLS(1) | DMA_DEST_TAG(tag) | DMA_DEST_TELL(name_of((uint32_t)to)));
}

unsigned ts_dma_wait(ts_dma_t *dma, uint32_t number)
{
    check_number(dma, number);
    const ts_dma_end_t *end = &dma->end[number % TS_DMA_PLACES];
    while (end->status == 0) {
    }
    return end->status;
}
