/* A handler that runs into an illegal instruction. */
#include "events.h"

tt_handler __wrap_stache_get_ro;
void __wrap_stache_get_ro(uint32_t a, uint32_t meta) {
    (void)a, (void)meta;
    __asm__ volatile("unimp");
}
