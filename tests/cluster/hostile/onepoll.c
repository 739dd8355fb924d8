/* OnePoll: groups of others, of no one and of its own, registered anew all the time with queues of the sP, of the victim and with none such. */
#include "victim.h"

static void attack(uint32_t i)
{
    uint32_t word = random_word(), page = AP_ONEPOLL_BASE + (word >> 8) % 64 * AP_PAGE_BYTES;

    if (i % 4 == 0) EXPRESS_STORE(MY_QUEUE, TS_SVC_ONEPOLL, SERVICE_NAME(1)) = i % 8 ? word : TS_ONEPOLL_WORD(i / 8, MY_QUEUE << 4 | MY_BASIC);
    (void)WORD(page + AP_ONEPOLL_META);
    (void)WORD(page + (word & 0xFFC));
    if (i % 64 == 32) WORD(page + AP_ONEPOLL_META) = word;
    read_own();
}
