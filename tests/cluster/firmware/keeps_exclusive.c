/* An owner that hands out its block and keeps it, Exclusive: as yet no value is wrong. */
#include "stache.h"

tt_handler __real_stache_inval_rw, __wrap_stache_inval_rw;
void __wrap_stache_inval_rw(uint32_t a, uint32_t meta) {
    struct tt_page *p = tt_page_of(a);
    if (*stache_copy_of(p, a) == C_RW)
        tt_get_send(a, TT_READ_WRITE, TT_READ_WRITE, p->home, STACHE_RECALL);
    else
        __real_stache_inval_rw(a, meta);
}
