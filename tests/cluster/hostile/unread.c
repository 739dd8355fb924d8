/* Messages to one who reads none, at the home of the victim's data. */
#include "victim.h"

static void attack(uint32_t i) { EXPRESS_STORE(MY_QUEUE, 20, AP_NAME(IDLER)) = i; }
