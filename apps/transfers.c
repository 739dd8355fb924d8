/*
 * What a transfer from memory to memory takes (VY-21, VY-50), for `make bench`: process 1 sends to process 0, two hops, software included. A line a
 * size, in cycles: overhead of ts_dma_put, one way (half a round trip, by flags), gap of a stream with TS_DMA_PLACES on their way, from the first call to the
 * last end, and payload of that over the link's raw 8 bytes a cycle.
 */
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_dma.h>

enum { RECEIVER = 0, SENDER = 1, ROUNDS = 4, MOST = 65536 };
static const unsigned sizes[] = {8, 64, 256, 1024, 4096, 16384, MOST};
enum { ROWS = sizeof sizes / sizeof *sizes };

static struct shared {
    ts_barrier_t both;
    struct { unsigned long put, round_trips, stream; } result[ROWS];
} *shared;
static unsigned char source[MOST] __attribute__((aligned(64)));
static struct {
    unsigned char bytes[MOST];
    ts_dma_end_t flag;
    unsigned char rest[TS_DMA_PAGE - sizeof(ts_dma_end_t)];
} open __attribute__((aligned(TS_DMA_PAGE)));
static ts_basic_t queue;
static ts_dma_t dma;

static void wait_for(uint32_t cookie)
{
    while (open.flag.cookie != cookie || open.flag.status == 0) {
    }
    if (open.flag.status != TS_DMA_DONE) ts_fail("transfers: one %s", ts_dma_status(open.flag.status));
}

static unsigned stream_of(unsigned bytes) { return bytes > 4096 ? 8 : 48; }

static void measure(int me, int row)
{
    unsigned bytes = sizes[row];
    uint32_t number = 0;

    ts_barrier(&shared->both, 2);
    unsigned long begin = ts_clock();
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        if (me == SENDER) ts_dma_put(&dma, RECEIVER, open.bytes, source, bytes, &open.flag, (uint32_t)row << 8 | i);
        wait_for((uint32_t)row << 8 | i);
        if (me == RECEIVER) ts_dma_put(&dma, SENDER, open.bytes, source, bytes, &open.flag, (uint32_t)row << 8 | i);
    }
    shared->result[row].round_trips = ts_clock() - begin;
    ts_barrier(&shared->both, 2);
    if (me == RECEIVER) return;
    begin = ts_clock();
    for (unsigned i = 0; i < stream_of(bytes); i++) {
        number = ts_dma_put(&dma, RECEIVER, open.bytes, source, bytes, NULL, 0);
        if (i == 0) shared->result[row].put = ts_clock() - begin;
    }
    if (ts_dma_wait(&dma, number) != TS_DMA_DONE) ts_fail("transfers: one %s", ts_dma_status(ts_dma_wait(&dma, number)));
    shared->result[row].stream = ts_clock() - begin;
}

static void work(void)
{
    int me = ts_self();

    if (me > SENDER) return;
    ts_basic_open(&queue);
    if (!ts_dma_open(&dma, &queue)) ts_fail("transfers: site %d has no DMA: SITE=dma=true", ts_site());
    ts_dma_accept(&open, sizeof open);
    measure(me, 0); /* warms caches */
    for (int row = 0; row < ROWS; row++) measure(me, row);
}

int main(void)
{
    if (ts_processes() < 2) ts_fail("transfers: of %d processes, legal 2 and more: APS=1 SITES=4", ts_processes());
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->both, 2);
    ts_create_all(work, ts_processes());
    printf("mechanism,bytes,overhead_send,overhead_receive,one_way,gap_send,gap_stream,gap_units,link_share\n");
    for (int row = 0; row < ROWS; row++) {
        double gap = (double)shared->result[row].stream / stream_of(sizes[row]);
        printf("dma,%u,%lu,,%.1f,,%.1f,,%.3f\n", sizes[row], shared->result[row].put, (double)shared->result[row].round_trips / (2 * ROUNDS), gap, sizes[row] / gap / 8);
    }
    return 0;
}
