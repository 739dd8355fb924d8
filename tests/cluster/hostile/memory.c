/* Private memory of the victim, then the directory and the rings of its site: written over, and read. */
#include "victim.h"

static void attack(uint32_t i)
{
    const uint32_t spans[][2] = {{MEMORY_BASE, AP_PRIVATE_BYTES}, {HEAP_END, SYSTEM_BYTES}};
    const uint32_t *span = spans[i & 1];
    const uint32_t at = span[0] + i / 2 * 64 * 31 % span[1];
    WORD(at) = i;
    (void)WORD(at + 4);
}
