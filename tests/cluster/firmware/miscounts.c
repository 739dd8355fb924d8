/* A home that counts each request to read twice, and the fault before it and the data after it, too: the counters agree with each other. */
#include "stache.h"
#include "tempest.h"

tt_handler __real_stache_get_ro, __wrap_stache_get_ro;
void __wrap_stache_get_ro(uint32_t a, uint32_t meta) {
    TT.stats.read_faults++;
    TT.counters[GET_RO]++;
    TT.stats.data++;
    TT.stats.bytes += tt_block_bytes(tt_page_of(a));
    __real_stache_get_ro(a, meta);
}
