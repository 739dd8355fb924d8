/* The last process loads from an address that nobody answers. */
#include <stdio.h>
#include <turnstile.h>

static void work(void)
{
    if (ts_self() == ts_processes() - 1) printf("%d\n", *(volatile int *)0x90000000);
}

int main(void)
{
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    return 0;
}
