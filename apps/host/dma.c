/* Transfers between Unix processes: the sender copies into the memory of the other. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "../common/dma.h"
#include "../common/message.h"
#include "host.h"
#include "turnstile_job.h"

/* What each process has opened and closed, in order. */
enum { MOST_CHANGES = 1024 };
static struct opened {
    int changes;
    struct change { char *first, *end; int open; } change[MOST_CHANGES];
} *opened;

__attribute__((constructor)) static void prepare_opened(void)
{
    opened = mmap(NULL, TS_MAX_PROCESSES * sizeof *opened, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (opened == MAP_FAILED) ts_fail("mmap of what is open to transfers failed");
}

int ts_dma_open(ts_dma_t *dma, ts_basic_t *queue)
{
    memset(dma, 0, sizeof *dma);
    dma->queue = queue;
    return 1;
}

static void change(void *first, size_t bytes, int open)
{
    struct opened *own = &opened[ts_self()];

    check_pages((uintptr_t)first, bytes);
    if (own->changes == MOST_CHANGES) ts_fail("memory open to transfers: changed more than %d times, which only the cluster can", MOST_CHANGES);
    own->change[own->changes] = (struct change){first, (char *)first + bytes, open};
    __atomic_store_n(&own->changes, own->changes + 1, __ATOMIC_RELEASE);
}

void ts_dma_accept(void *first, size_t bytes) { change(first, bytes, 1); }
void ts_dma_refuse(void *first, size_t bytes) { change(first, bytes, 0); }
unsigned ts_dma_marks(void *page)
{
    check_pages((uintptr_t)page, TS_DMA_PAGE);
    return 0;
}

/* The last change that has its page says whether a byte is open. */
static int is_open(int process, const char *at)
{
    const struct opened *of = &opened[process];

    for (int i = __atomic_load_n(&of->changes, __ATOMIC_ACQUIRE) - 1; i >= 0; i--)
        if (at >= of->change[i].first && at < of->change[i].end) return of->change[i].open;
    return 0;
}

static unsigned copy(int to, void *target, const void *source, size_t bytes)
{
    struct iovec from = {(void *)source, bytes}, into = {target, bytes};

    for (char *at = target, *end = at + bytes; at < end; at = (char *)(((uintptr_t)at | (TS_DMA_PAGE - 1)) + 1))
        if (!is_open(to, at)) return TS_DMA_TARGET;
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

uint32_t ts_dma_put_message(ts_dma_t *dma, int to, void *target, const void *source, size_t bytes, unsigned tag, uint32_t cookie)
{
    check_express(to, tag, 0, ts_processes());
    uint32_t number = ts_dma_put(dma, to, target, source, bytes, NULL, cookie);
    if (ts_dma_wait(dma, number) == TS_DMA_DONE) ts_express_send(to, tag, 0, cookie);
    return number;
}

unsigned ts_dma_wait(ts_dma_t *dma, uint32_t number)
{
    check_number(dma, number);
    return dma->end[number % TS_DMA_PLACES].status;
}
