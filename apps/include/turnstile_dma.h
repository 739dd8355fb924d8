/**
 * @file turnstile_dma.h
 * Bytes from a process' memory to another's, at sites whose NIU has DMA (VY-21, docs/design/dma.md; `make run ... SITE=dma=true`): the NIUs do it, the
 * processes go on. Private memory at both ends, any alignment, 1 B to TS_DMA_BYTES; not the shared heap.
 *
 * A transfer that is refused or fails says so in its status, and harms no other. On the workstation (make run-native) the same calls work
 * between Unix processes.
 */
#ifndef TURNSTILE_DMA_H
#define TURNSTILE_DMA_H

#include <stddef.h>
#include <stdint.h>
#include <turnstile_message.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Transfers of a process on their way, at most; bytes of one, at most; unit of what ts_dma_accept opens. */
enum { TS_DMA_PLACES = 4, TS_DMA_BYTES = 1 << 20, TS_DMA_PAGE = 4096 };

/** What ts_dma_marks tells. */
enum { TS_DMA_USED = 1, TS_DMA_DIRTY = 2 };

/** What became of a transfer. */
enum { TS_DMA_DONE = 1, TS_DMA_LENGTH, TS_DMA_SOURCE, TS_DMA_NAME, TS_DMA_TARGET, TS_DMA_LOST };

/** Where the end of a transfer is told: `status` is 0 before, then one of the above; `cookie` is the sender's. A line of its own. */
typedef struct {
    volatile uint32_t status, cookie;
    uint32_t rest[14];
} __attribute__((aligned(64))) ts_dma_end_t;

/** The calling process' transfers. Its fields are the library's. */
typedef struct {
    ts_dma_end_t end[TS_DMA_PLACES];
    ts_basic_t *queue;
    uint32_t begun;
} ts_dma_t;

/**
 * Prepares transfers by the process' open Basic queue; @p dma stays where it is, in private memory.
 * 0: this site has no DMA.
 */
int ts_dma_open(ts_dma_t *dma, ts_basic_t *queue);
/** From now on all who may send to this process may write to @p bytes from @p first on, too; both multiples of TS_DMA_PAGE. */
void ts_dma_accept(void *first, size_t bytes);
/** No longer: when it returns no transfer writes there any more, also none that was on its way. */
void ts_dma_refuse(void *first, size_t bytes);
/**
 * What transfers have done with the page that begins at @p page since it was asked before (BZ-36): TS_DMA_USED, and TS_DMA_DIRTY if something was
 * written there, or may have been. On the workstation 0.
 */
unsigned ts_dma_marks(void *page);
/**
 * Sends @p bytes at @p source to process @p to, at its address @p target; returns the transfer's number. When all bytes are there, @p flag of
 * that process (NULL: none) gets @p cookie and a status. With TS_DMA_PLACES on their way it waits for the oldest.
 */
uint32_t ts_dma_put(ts_dma_t *dma, int to, void *target, const void *source, size_t bytes, ts_dma_end_t *flag, uint32_t cookie);
/** The same, but what says that all bytes are there is an Express message of the caller to process @p to, with @p tag and the word @p cookie; none when it fails. */
uint32_t ts_dma_put_message(ts_dma_t *dma, int to, void *target, const void *source, size_t bytes, unsigned tag, uint32_t cookie);
/** Waits until transfer @p number, one of the last TS_DMA_PLACES, is over at both ends; its status. */
unsigned ts_dma_wait(ts_dma_t *dma, uint32_t number);
/** A status in words. */
const char *ts_dma_status(unsigned status);

#ifdef __cplusplus
}
#endif

#endif
