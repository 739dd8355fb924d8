/* Pointers of the own Basic rings far ahead and far behind: 2^31 messages to send, more read than ever came. */
#include "basic.h"

static void attack(uint32_t i)
{
    basic_slot(i, AP_NAME(i & 1 ? IDLER : ATTACKER), 88);
    BASIC_POINTER(MY_BASIC, AP_BASIC_TX_PRODUCER) = 0x7fffffffu + i * 0x10001u;
    BASIC_POINTER(MY_BASIC, AP_BASIC_RX_CONSUMER) = i * 0x01000193u + 5;
}
