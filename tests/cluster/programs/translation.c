/*
 * The NI TLB (BZ-36; BZ-T19), processes 0 and 1: transfers from and to every page of two areas, `pages` each, twice; marks of what transfers used and wrote;
 * a page that is closed and opened while transfers to it are on their way; pages of nobody, of the heap and of another process. Wherever a transfer ends
 * well its bytes are there, and no others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turnstile.h>
#include <turnstile_dma.h>
#include <unistd.h>

enum { LINE = 64, PAGES = 96, CLOSINGS = 40, FAR = 1 << 22 };

static struct { ts_barrier_t all; volatile int over; unsigned char *from[2]; } *shared;
static int pages = PAGES;
static unsigned char *from, *to;
static unsigned char moving[TS_DMA_PAGE] __attribute__((aligned(TS_DMA_PAGE))), closed[TS_DMA_PAGE] __attribute__((aligned(TS_DMA_PAGE)));

static void want(const char *what, int at, unsigned found, unsigned wanted)
{
    if (found != wanted) ts_fail("translation: %s %d: %u, wanted %u", what, at, found, wanted);
}

static unsigned put(ts_dma_t *dma, int other, void *target, const void *source, size_t bytes) { return ts_dma_wait(dma, ts_dma_put(dma, other, target, source, bytes, NULL, 0)); }

/* Each page is the source of one transfer and the target of another, in an order that has no two neighbours. */
static void all_pages(ts_dma_t *dma, int other, int round)
{
    for (int i = 0; i < pages; i++) {
        int at = (int)((unsigned)i * 61 % (unsigned)pages);
        size_t offset = (size_t)at * TS_DMA_PAGE + (size_t)(at % 60) * LINE;

        memset(from + offset, at + 3 * round + ts_self() + 1, LINE);
        want("page", at, put(dma, other, to + offset, from + offset, LINE), TS_DMA_DONE);
    }
    ts_barrier(&shared->all, 2);
    for (int at = 0; at < pages; at++) {
        unsigned char *line = to + (size_t)at * TS_DMA_PAGE + (size_t)(at % 60) * LINE;

        for (int i = 0; i < LINE; i++) want("a byte of page", at, line[i], (unsigned char)(at + 3 * round + other + 1));
        want("a byte behind page", at, line[LINE], 0);
    }
    ts_barrier(&shared->all, 2);
}

static void marks(ts_dma_t *dma, int me, int other)
{
    ts_dma_marks(from);
    ts_dma_marks(to);
    ts_barrier(&shared->all, 2);
    want("marks of a page that nobody used", me, ts_dma_marks(from), 0);
    want("transfer", 0, put(dma, other, to, from, LINE), TS_DMA_DONE);
    ts_barrier(&shared->all, 2);
    want("marks of a page that was sent from", me, ts_dma_marks(from), TS_DMA_USED);
    want("marks of a page that was sent to", me, ts_dma_marks(to), TS_DMA_USED | TS_DMA_DIRTY);
    want("marks that were cleared", me, ts_dma_marks(to), 0);
    /* sent from, then sent to: the second use is seen though the page is known */
    want("transfer", 1, put(dma, other, to, to, LINE), TS_DMA_DONE);
    ts_barrier(&shared->all, 2);
    want("marks of a page that was both", me, ts_dma_marks(to), TS_DMA_USED | TS_DMA_DIRTY);
    ts_barrier(&shared->all, 2);
}

/* Process 1 closes the page over and over: from when that returns nothing is written there, while process 0 goes on sending. */
static void closings(ts_dma_t *dma, int me)
{
    unsigned counts[TS_DMA_LOST + 1] = {0};

    if (me == 1) {
        for (int i = 0; i < CLOSINGS; i++) {
            ts_dma_accept(moving, sizeof moving);
            for (int k = 0; k < 50 * (i % 7); k++) ts_relax();
            ts_dma_refuse(moving, sizeof moving);
            memset(moving, 0x80 | i, sizeof moving);
            for (int k = 0; k < 400; k++) ts_relax();
            for (unsigned k = 0; k < sizeof moving; k++) want("a byte written behind closing", i, moving[k], 0x80 | (unsigned)i);
        }
        shared->over = 1;
    } else {
        memset(from, 1, TS_DMA_PAGE);
        while (!shared->over) counts[put(dma, 1, moving, from, 1000)]++;
        want("transfers that were neither done nor refused", 0, counts[TS_DMA_LENGTH] + counts[TS_DMA_SOURCE] + counts[TS_DMA_NAME] + counts[TS_DMA_LOST], 0);
        if (!counts[TS_DMA_DONE] || !counts[TS_DMA_TARGET]) ts_fail("translation: %u transfers done, %u refused, wanted some of both", counts[TS_DMA_DONE], counts[TS_DMA_TARGET]);
    }
    ts_barrier(&shared->all, 2);
}

static void work(void)
{
    static ts_basic_t queue;
    static ts_dma_t dma;
    int me = ts_self(), other = 1 - me;
    size_t bytes = (size_t)pages * TS_DMA_PAGE;

    char *memory = sbrk((ptrdiff_t)(2 * bytes + TS_DMA_PAGE)); /* malloc would clear it */
    from = shared->from[me] = (unsigned char *)(((uintptr_t)memory + TS_DMA_PAGE - 1) & -(uintptr_t)TS_DMA_PAGE);
    if (memory == (char *)-1) ts_fail("translation: two areas of %d pages: no memory", pages);
    to = from + bytes;
    ts_basic_open(&queue);
    if (!ts_dma_open(&dma, &queue)) ts_fail("translation: site %d has no DMA: SITE=dma=true", ts_site());
    memset(to, 0, bytes);
    ts_dma_accept(to, bytes);
    ts_barrier(&shared->all, 2);
    if (shared->from[0] != shared->from[1]) ts_fail("translation: areas at %p and %p, wanted at one address", (void *)shared->from[0], (void *)shared->from[1]);
    for (int round = 0; round < 2; round++) all_pages(&dma, other, round);
    marks(&dma, me, other);
    want("transfer to a closed page", me, put(&dma, other, closed, from, 1), TS_DMA_TARGET);
    want("transfer into the heap", me, put(&dma, other, shared, from, 1), TS_DMA_TARGET);
    want("transfer to nobody's page", me, put(&dma, other, (void *)FAR, from, 1), TS_DMA_TARGET);
    want("transfer from the heap", me, put(&dma, other, to, shared, 1), TS_DMA_SOURCE);
    want("transfer from nobody's page", me, put(&dma, other, to, (void *)FAR, 1), TS_DMA_SOURCE);
    ts_barrier(&shared->all, 2);
    closings(&dma, me);
}

int main(int argc, char **argv)
{
    if (argc > 1) pages = atoi(argv[1]);
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, 2);
    ts_create_all(work, 2);
    printf("translation: correct\n");
    return 0;
}
