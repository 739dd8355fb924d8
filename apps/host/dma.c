/* Transfers between Unix processes: the sender copies into the memory of the other. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "../common/dma.h"
#include "host.h"
#include "turnstile_job.h"

/* What each process has opened. */
static struct opened { char *first, *end; } *opened;

__attribute__((constructor)) static void prepare_opened(void)
{
    opened = mmap(NULL, TS_MAX_PROCESSES * sizeof *opened, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (opened == MAP_FAILED) ts_fail("mmap of what is open to transfers failed");
}

int ts_dma_open(ts_dma_t *dma, ts_basic_t *queue)
{
    memset(dma, 0, sizeof *dma);
    dma->queue = queue;
    opened[ts_self()] = (struct opened){NULL, NULL};
    return 1;
}

void ts_dma_accept(void *first, size_t bytes)
{
    check_accept((uintptr_t)first, bytes);
    opened[ts_self()] = (struct opened){first, (char *)first + bytes};
}

static unsigned copy(int to, void *target, const void *source, size_t bytes)
{
    const struct opened *open = &opened[to];
    struct iovec from = {(void *)source, bytes}, into = {target, bytes};

    if ((char *)target < open->first || (char *)target + bytes > open->end) return TS_DMA_TARGET;
    if (to == ts_self()) {
        memmove(target, source, bytes);
        return TS_DMA_DONE;
    }
    if (process_vm_writev(host_process(to), &from, 1, &into, 1, 0) == (ssize_t)bytes) return TS_DMA_DONE;
    if (errno == EPERM) ts_fail("a transfer to process %d: this machine forbids it (kernel.yama.ptrace_scope must be 0, or be root)", to);
    return TS_DMA_SOURCE;
}

uint32_t ts_dma_put(ts_dma_t *dma, int to, void *target, const void *source, size_t bytes, ts_dma_end_t *flag, uint32_t cookie)
{
    check_put(dma, to, bytes, ts_processes());
    uint32_t told[2] = {copy(to, target, source, bytes), cookie};
    ts_dma_end_t *end = &dma->end[dma->begun % TS_DMA_PLACES];

    /* The status last, as one who polls it reads. */
    if (flag && (copy(to, (void *)&flag->cookie, &told[1], sizeof told[1]) != TS_DMA_DONE || copy(to, (void *)&flag->status, told, sizeof told[0]) != TS_DMA_DONE))
        told[0] = TS_DMA_TARGET;
    end->cookie = cookie;
    end->status = told[0];
    return dma->begun++;
}

unsigned ts_dma_wait(ts_dma_t *dma, uint32_t number)
{
    check_number(dma, number);
    return dma->end[number % TS_DMA_PLACES].status;
}
