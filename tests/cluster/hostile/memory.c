/* Globals of the victim, which lie where the attacker has its own; then the rings and the directory of its site: written over, and read. */
#include "victim.h"

static void attack(uint32_t i)
{
    const uint32_t globals = (uint32_t)&shared & ~63u;
    const uint32_t at = i & 1 ? HEAP_END + i * 32 % SYSTEM_BYTES : MEMORY_BASE + (globals - AP_PRIVATE_BASE) + i * 2 % 256;
    WORD(at & ~3u) = i;
    (void)WORD(at & ~3u);
}
