/* Barriers do not hear of site 1: all processes wait for a message that nobody sends. */
#include "events.h"
#include "tempest.h"

tt_handler __real_service_barrier, __wrap_service_barrier;
void __wrap_service_barrier(uint32_t word, uint32_t meta) {
    if (tt_source(meta) != 1)
        __real_service_barrier(word, meta);
}
