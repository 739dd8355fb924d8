/*
 * far_page: reads of two pages of another site, one whose record is in the sP's RAM and one whose record is in DRAM: phase 1 and 3, the
 * read that opens the page; 2 and 4, one of each of the 31 other blocks of its first 4 KB.
 */
#include <stdio.h>
#include <turnstile.h>

enum { BLOCKS = 32, BLOCK_WORDS = 32, MB = 1 << 20, PAGE = 4096 };
static struct shared { ts_barrier_t all; } *shared;
static volatile int *at[2];
static int wrong;

static void work(void)
{
    const int me = ts_self();

    for (int page = 0; page < 2; page++) {
        for (int i = 0; me == 0 && i < BLOCKS; i++) at[page][i * BLOCK_WORDS] = 100 * page + i;
        ts_barrier(&shared->all, 0);
        if (me == 1) {
            ts_mark(1 + 2 * page);
            wrong += at[page][0] != 100 * page;
            ts_mark(2 + 2 * page);
            for (int i = 1; i < BLOCKS; i++) wrong += at[page][i * BLOCK_WORDS] != 100 * page + i;
            ts_mark(0);
            printf("far_page: page %d, %d wrong\n", page, wrong);
        }
        ts_barrier(&shared->all, 0);
    }
}

int main(void)
{
    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, ts_processes());
    at[0] = ts_alloc_pages(PAGE, 0, 0);
    ts_alloc(64 * MB);
    at[1] = ts_alloc_pages(PAGE, 0, 0);
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    return 0;
}
