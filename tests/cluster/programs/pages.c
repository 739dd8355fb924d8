/* Pages with block sizes and homes of their own: the last process reads one word of each, process 0 has written it. */
#include <stdio.h>
#include <turnstile.h>

enum { PAGES = 6, WORDS = 1024 };
static volatile int *page[PAGES];
static ts_barrier_t *all;

static void work(void)
{
    int i, wrong = 0;
    if (ts_self() == 0)
        for (i = 0; i < PAGES; i++) page[i][WORDS / 2] = 1000 + i;
    ts_barrier(all, 0);
    if (ts_self() == ts_processes() - 1)
        for (i = 0; i < PAGES; i++) wrong |= page[i][WORDS / 2] != 1000 + i;
    if (wrong) ts_fail("wrong data");
}

int main(void)
{
    int i;
    all = ts_alloc(sizeof *all);
    ts_barrier_init(all, ts_processes());
    for (i = 0; i < PAGES; i++) {
        page[i] = ts_alloc_pages(4096, i % (ts_processes() - 1), 64 << i);
        printf("page %d at %lx: home of process %d, blocks of %d\n", i, (unsigned long)page[i], i % (ts_processes() - 1), 64 << i);
    }
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("pages: correct\n");
    return 0;
}
