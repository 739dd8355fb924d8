/* Anything: random requests to services, messages, pointers, stores and loads at random addresses. FUZZ seeds it. */
#include "victim.h"

#ifndef FUZZ
#define FUZZ 1
#endif

static void attack(uint32_t i)
{
    if (i == 0) random_state = FUZZ * 2654435761u | 1;
    const uint32_t a = random_word(), b = random_word(), c = random_word();
    switch (a % 8) {
    case 0: /* the victim's own locks and barriers are below: all processes of a run are one job */
        EXPRESS_STORE(MY_QUEUE, 1 + c % 2, SERVICE_NAME(c >> 8 & 1)) = 500 + b % 0xFFFFFC00u;
        break;
    case 1: EXPRESS_STORE(MY_QUEUE, TS_SVC_BARRIER, SERVICE_NAME(c & 1)) = b | 0x8000; break;
    case 2: EXPRESS_STORE(MY_QUEUE, 4 + c % 28, SERVICE_NAME(c >> 8 & 1)) = b | 0x8000; break;
    case 3: EXPRESS_STORE(c & 15, c >> 4, c >> 9 & 511) = b; break;
    case 4: BASIC_POINTER(8 + (c & 7), c & 8 ? AP_BASIC_TX_PRODUCER : AP_BASIC_RX_CONSUMER) = b; break;
    case 5: WORD(0x80000000u + c % 0x00800000u / 4 * 4) = b; break;
    case 6: (void)WORD(c & ~3u & ~0x10000000u); break;
    case 7: WORD(0xF0200000u + c % 0x00400000u / 4 * 4) = b; break;
    }
    read_own();
}
