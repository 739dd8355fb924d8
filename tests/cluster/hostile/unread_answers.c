/* Requests to both sPs by one who reads no answer. */
#include "victim.h"

static void attack(uint32_t i) { EXPRESS_STORE(MY_QUEUE, TS_SVC_PAGE_SET, SERVICE_NAME(i & 1)) = 0xFFFF; }
