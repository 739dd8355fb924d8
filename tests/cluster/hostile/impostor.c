/* As the victim, through the victim's own queues: sends, receives, moves its pointers. */
#include "victim.h"

static void attack(uint32_t i)
{
    (void)EXPRESS_META_OF(AP_QUEUE(0));
    if (i % 8 == 0) EXPRESS_STORE(AP_QUEUE(0), TS_SVC_BARRIER, SERVICE_NAME(0)) = TS_BARRIER_WORD(0, 2);
    if (i % 8 == 4) BASIC_POINTER(8 + AP_QUEUE(0), AP_BASIC_TX_PRODUCER) = i;
}
