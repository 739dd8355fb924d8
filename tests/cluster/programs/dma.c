/*
 * Transfers from memory to memory (VY-21; T9): each process sends the next one 1 B to 64 KB, all at once, with every alignment in turn, and checks
 * what has come and the bytes beside it; a flag tells of it, or in every other round an Express message. With `bad` process 1 asks for what is refused in between: each says why, and nobody else's
 * transfers change.
 */
#include <stdio.h>
#include <string.h>
#include <turnstile.h>
#include <turnstile_dma.h>

enum { MOST = 65536, BESIDE = 64, ROUNDS = 12, UNTOUCHED = 0xEE, TAG = 21 };
static const unsigned sizes[ROUNDS] = {1, 8, 63, 64, 65, 200, 1000, 4096, 3, 4999, 129, MOST};

static struct { ts_barrier_t all; } *shared;
static unsigned char source[MOST + 256] __attribute__((aligned(64)));
/* What others may write to. */
static struct {
    unsigned char bytes[MOST + 3 * 256];
    ts_dma_end_t flag;
    unsigned char rest[TS_DMA_PAGE - 3 * 256 - sizeof(ts_dma_end_t)];
} open __attribute__((aligned(TS_DMA_PAGE)));
static unsigned char closed[256] __attribute__((aligned(TS_DMA_PAGE)));
static int bad;

static unsigned char byte_of(int from, int round, unsigned at) { return (unsigned char)(from * 37 + round * 11 + at * 5 + (at >> 8) + 1); }

static void fail(int round, const char *what, unsigned found, unsigned wanted)
{
    ts_fail("dma: round %d: %s %u, wanted %u", round, what, found, wanted);
}

/* Everything that another process must not be able to do, and what the status says. */
static void ask_for_what_is_refused(ts_dma_t *dma, int other)
{
    static const struct { const void *source; void *target; int flag_closed; unsigned wanted; } wrong[] = {
        {(void *)64, open.bytes, 0, TS_DMA_SOURCE}, {source, closed, 0, TS_DMA_TARGET}, {source, (void *)64, 0, TS_DMA_TARGET}, {source, open.bytes + MOST + 256, 1, TS_DMA_TARGET},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint32_t number = ts_dma_put(dma, other, wrong[i].target, wrong[i].source, 1, wrong[i].flag_closed ? (ts_dma_end_t *)closed : NULL, 99);
        unsigned status = ts_dma_wait(dma, number);
        if (status != wrong[i].wanted) fail((int)i, "refused status", status, wrong[i].wanted);
    }
}

static void work(void)
{
    static ts_basic_t queue;
    static ts_dma_t dma;
    int me = ts_self(), count = ts_processes(), next = (me + 1) % count, before = (me + count - 1) % count;

    ts_basic_open(&queue);
    if (!ts_dma_open(&dma, &queue)) ts_fail("dma: site %d has no DMA: SITE=dma=true", ts_site());
    ts_dma_accept(&open, sizeof open);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned bytes = sizes[round], from = (unsigned)(round * 29 % 67), to = BESIDE + (unsigned)(round * 43 % 71);

        for (unsigned i = 0; i < bytes; i++) source[from + i] = byte_of(me, round, i);
        memset(open.bytes, UNTOUCHED, bytes + to + BESIDE);
        open.flag.status = 0;
        ts_barrier(&shared->all, count);
        if (bad && me == 1) ask_for_what_is_refused(&dma, next);
        uint32_t cookie = (uint32_t)(round << 8 | me), told = (uint32_t)(round << 8 | before), number;
        if (round % 2) {
            ts_express_t message;
            number = ts_dma_put_message(&dma, next, open.bytes + to, source + from, bytes, TAG, cookie);
            ts_express_receive(&message);
            if (message.from != before || message.tag != TAG) fail(round, "a message from process", (unsigned)message.from, (unsigned)before);
            if (message.word != told) fail(round, "word", message.word, told);
        } else {
            number = ts_dma_put(&dma, next, open.bytes + to, source + from, bytes, &open.flag, cookie);
            while (open.flag.status == 0) ts_relax();
            if (open.flag.status != TS_DMA_DONE) fail(round, ts_dma_status(open.flag.status), open.flag.status, TS_DMA_DONE);
            if (open.flag.cookie != told) fail(round, "cookie", open.flag.cookie, told);
        }
        for (unsigned i = 0; i < bytes; i++)
            if (open.bytes[to + i] != byte_of(before, round, i)) fail(round, "a byte is", open.bytes[to + i], byte_of(before, round, i));
        for (unsigned i = 1; i <= BESIDE; i++)
            if (open.bytes[to - i] != UNTOUCHED || open.bytes[to + bytes + i - 1] != UNTOUCHED) fail(round, "beside the transfer, bytes away", i, 0);
        if (ts_dma_wait(&dma, number) != TS_DMA_DONE) fail(round, "status", ts_dma_wait(&dma, number), TS_DMA_DONE);
        ts_barrier(&shared->all, count);
    }
    if (closed[0]) fail(ROUNDS, "closed memory was written", closed[0], 0);
}

int main(int argc, char **argv)
{
    bad = argc > 1 && strcmp(argv[1], "bad") == 0;
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    ts_create_all(work, ts_processes());
    printf("dma: correct\n");
    return 0;
}
