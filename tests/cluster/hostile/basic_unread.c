/* Basic messages to one who reads none, at the home of the victim's data. */
#include "basic.h"

static void attack(uint32_t i)
{
    while (i - BASIC_POINTER(MY_BASIC, AP_BASIC_TX_SENT) >= RING_SLOTS) ts_relax();
    basic_slot(i, AP_NAME(IDLER), 8);
    BASIC_POINTER(MY_BASIC, AP_BASIC_TX_PRODUCER) = i + 1;
}
