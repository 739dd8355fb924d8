/* Process 1 reads blocks whose home is site 0, one at a time and far apart, and looks at its clock before and after each. */
#include <stdint.h>
#include <stdio.h>
#include <turnstile.h>

enum { READS = 40, STEP = TS_BLOCK / sizeof(int) };
static volatile int *blocks;
static uint32_t before[READS], after[READS];

static void work(void)
{
    int i, j;
    if (ts_self() != 1) return;
    for (i = 0; i < READS; i++) {
        before[i] = after[i] = 0; /* in the cache */
        for (j = 0; j < 1500 + 7 * i; j++) __asm__ volatile("nop");
        before[i] = ts_clock();
        (void)blocks[i * STEP];
        after[i] = ts_clock();
    }
    for (i = 0; i < READS; i++)
        printf("read %lx %lu %lu\n", (unsigned long)&blocks[i * STEP], (unsigned long)before[i], (unsigned long)after[i]);
}

int main(void)
{
    blocks = ts_alloc_pages(READS * TS_BLOCK, 0, 0);
    blocks[0] = 1;
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("clocked: correct\n");
    return 0;
}
