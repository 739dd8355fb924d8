/* A store that nobody answers, one after the other. */
#include "victim.h"

static void attack(uint32_t i) { WORD(0x70000000u + 4 * i) = i; }
