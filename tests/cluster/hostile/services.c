/*
 * Everything that a request to a service can have wrong, in turn, to both sPs: locks that are not, of another site or released by one who
 * does not hold them; more waits and more barriers than an aP has; barriers that can never be full; pages, tags and phases that are not.
 */
#include "victim.h"

static void ask(uint32_t tag, uint32_t word)
{
    for (uint32_t site = 0; site < 2; site++) {
        EXPRESS_STORE(MY_QUEUE, tag, SERVICE_NAME(site)) = word;
        read_own();
    }
}

static void attack(uint32_t i)
{
    const uint32_t lock = 900 + (i & 1);
    switch (i % 10) {
    case 0: ask(TS_SVC_LOCK, 0xFFFFFFFF - i); break;
    case 1: ask(TS_SVC_LOCK, lock); break; /* its own from the second time on: it waits for ever */
    case 2: ask(TS_SVC_UNLOCK, 800 + i % 50); break;
    case 3: ask(TS_SVC_BARRIER, TS_BARRIER_WORD(50000 + i % 1000, 2)); break;
    case 4: ask(TS_SVC_BARRIER, TS_BARRIER_WORD(49000, i % 7)); break;
    case 5: ask(TS_SVC_PAGE_SET, 0xFFFFFFFF - i); break;
    case 6: ask(TS_SVC_PARALLEL, i); break;
    case 7: ask(6 + i % 26, i); break;
    case 8: ask(0, i); break;
    case 9: ask(TS_SVC_UNLOCK, 0x80000000u + i); break;
    }
}
