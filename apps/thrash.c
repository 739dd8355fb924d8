/*
 * What misses of the NI TLB cost a user (BZ-36; BZ-T20), for `make bench`: processes 0 and 1 send blocks back and forth, each from and to pages of its own, 4 KB apart. `direct`: by DMA
 * between these pages. `copied`: with a single copy at each end, to and from a buffer whose pages the NI TLB always has. Pages of `fits` are at hand; those of
 * `thrash` are twice as many as their sets keep, in a fixed order, so each use of a page misses at both ends. A line each: cycles one way, half a round trip.
 */
#include <stdio.h>
#include <string.h>
#include <turnstile.h>
#include <turnstile_dma.h>
#include <unistd.h>

enum { PAGES = 64, APART = 32, ROUNDS = 2, MOST = 2048 };
static const unsigned sizes[] = {512, MOST};
static const char *const sets[] = {"fits", "thrash"}, *const methods[] = {"direct", "copied"};

static struct shared {
    ts_barrier_t both;
    unsigned char *area[2];
    unsigned long cycles[2][2][2];
} *shared;
static unsigned char *area;
/* Blocks are the first half of pages, buffers the second, so that no cache has to choose between them. */
static struct {
    ts_dma_end_t flag;
    unsigned char rest[TS_DMA_PAGE - MOST - sizeof(ts_dma_end_t)], bytes[MOST];
} in __attribute__((aligned(TS_DMA_PAGE))), out __attribute__((aligned(TS_DMA_PAGE)));
static ts_basic_t queue;
static ts_dma_t dma;
static uint32_t number;

/* The same address at both: each has its own memory. */
static unsigned char *page(unsigned i, int thrash) { return area + (size_t)i * TS_DMA_PAGE * (thrash ? APART : 1); }

/* Round trip `number`. */
static void send(int to, unsigned char *block, unsigned bytes, int copied)
{
    if (copied) memcpy(out.bytes, block, bytes);
    ts_dma_put(&dma, to, copied ? in.bytes : block, copied ? out.bytes : block, bytes, &in.flag, number);
}

static void receive(unsigned char *block, unsigned bytes, int copied)
{
    while (in.flag.cookie != number || in.flag.status == 0) {
    }
    if (in.flag.status != TS_DMA_DONE) ts_fail("thrash: a transfer %s", ts_dma_status(in.flag.status));
    if (copied) memcpy(block, in.bytes, bytes);
}

static unsigned long pass(int me, unsigned bytes, int thrash, int copied)
{
    unsigned long begin = ts_clock();

    for (unsigned i = 0; i < PAGES; i++) {
        number++;
        if (me == 0) send(1, page(i, thrash), bytes, copied);
        receive(page((i + PAGES / 2) % PAGES, thrash), bytes, copied);
        if (me == 1) send(0, page(i, thrash), bytes, copied);
    }
    return ts_clock() - begin;
}

static void work(void)
{
    int me = ts_self();

    if (me > 1) return;
    ts_basic_open(&queue);
    if (!ts_dma_open(&dma, &queue)) ts_fail("thrash: site %d has no DMA: SITE=dma=true", ts_site());
    ts_dma_accept(&in, sizeof in);
    char *memory = sbrk((PAGES * APART + 1) * TS_DMA_PAGE); /* malloc would clear it */
    area = shared->area[me] = (unsigned char *)(((uintptr_t)memory + TS_DMA_PAGE - 1) & -(uintptr_t)TS_DMA_PAGE);
    if (memory == (char *)-1) ts_fail("thrash: no memory for %d pages: PRIVATE=16M", PAGES * APART);
    for (unsigned i = 0; i < PAGES; i++) {
        ts_dma_accept(page(i, 0), TS_DMA_PAGE);
        ts_dma_accept(page(i, 1), TS_DMA_PAGE);
    }
    ts_barrier(&shared->both, 2);
    if (shared->area[0] != shared->area[1]) ts_fail("thrash: pages at %p and %p, wanted at one address", (void *)shared->area[0], (void *)shared->area[1]);
    for (int size = 0; size < 2; size++)
        for (int thrash = 0; thrash < 2; thrash++)
            for (int copied = 0; copied < 2; copied++) {
                ts_barrier(&shared->both, 2);
                pass(me, sizes[size], thrash, copied); /* marks are set, caches warm */
                ts_barrier(&shared->both, 2);
                unsigned long cycles = 0;
                for (int round = 0; round < ROUNDS; round++) cycles += pass(me, sizes[size], thrash, copied);
                if (me == 0) shared->cycles[size][thrash][copied] = cycles;
            }
}

int main(void)
{
    if (ts_processes() < 2) ts_fail("thrash: of %d processes, legal 2 and more: SITES=2", ts_processes());
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->both, 2);
    ts_create_all(work, ts_processes());
    printf("bytes,pages,method,one_way\n");
    for (int size = 0; size < 2; size++)
        for (int thrash = 0; thrash < 2; thrash++)
            for (int copied = 0; copied < 2; copied++)
                printf("%u,%s,%s,%.1f\n", sizes[size], sets[thrash], methods[copied], (double)shared->cycles[size][thrash][copied] / (2 * ROUNDS * PAGES));
    return 0;
}
