/*
 * The last process makes COUNT errors that a program can make, slowly enough for each to be told (strays messages|stores COUNT):
 * messages to the protocol queue of another site, for which it has no name, or stores to an address where nothing is.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turnstile.h>

#define NOBODY 0x90000000u

enum { PROTOCOL = 0, SERVICES = 1, LOCK_ACQUIRE = 1, LOCK_RELEASE = 2 };

void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);
uint32_t express_receive(uint32_t tag);

static int stores, count, *done;

static void work(void)
{
    int i;

    if (ts_self() != ts_processes() - 1) return;
    for (i = 0; i < count; i++) {
        if (stores) *(volatile uint32_t *)(NOBODY + 4 * i) = i;
        else express_send(0 << 3 | PROTOCOL, 1, 0x80800000, i & 1);
        express_send(ts_site() << 3 | SERVICES, LOCK_ACQUIRE, ts_site(), 0);
        express_receive(LOCK_ACQUIRE); /* the sP answers after it took the event */
        express_send(ts_site() << 3 | SERVICES, LOCK_RELEASE, ts_site(), 0);
        ++*done;
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return 1;
    stores = !strcmp(argv[1], "stores");
    count = atoi(argv[2]);
    done = ts_alloc_pages(4096, 0, 64);
    *done = 0;
    ts_create_all(work, ts_processes());
    ts_wait_for_end(ts_processes());
    printf("strays: %d\n", *done);
    return 0;
}
