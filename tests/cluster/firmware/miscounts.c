/* Counts a message that was never sent, and its answer: the sums of counters still agree with each other. */
#include "stache.h"

tt_handler __real_stache_get_rw, __wrap_stache_get_rw;
void __wrap_stache_get_rw(uint32_t a, uint32_t meta) {
    TT.stats.inval_ro++;
    TT.stats.ack++;
    __real_stache_get_rw(a, meta);
}
