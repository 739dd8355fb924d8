/* Messages to names that this aP does not have, one after the other. */
#include "victim.h"

static void attack(uint32_t i) { EXPRESS_STORE(MY_QUEUE, i & 31, 511 - (i & 127)) = i; }
