/* The last process sends 80 messages to the protocol queue of another site, for which it has no name, slowly enough for each to be told. */
#include <stdio.h>
#include <turnstile.h>

void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);

static volatile int *shared;

static void work(void)
{
    int i;

    if (ts_self() != ts_processes() - 1) return;
    for (i = 0; i < 80; i++) {
        express_send(0 << 3 | 0, 1, 0x80800000, i & 1);
        (*shared)++; /* a remote miss between two */
    }
}

int main(void)
{
    shared = ts_alloc_pages(4096, 0, 64);
    *shared = 0;
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("strays: %d\n", *shared);
    return 0;
}
