/* A copy that gives its block up with what DRAM holds, not with what its cache has modified. */
#include "stache.h"

tt_handler __real_stache_inval_rw, __wrap_stache_inval_rw;
void __wrap_stache_inval_rw(uint32_t a, uint32_t meta) {
    struct tt_page *p = tt_page_of(a);
    if (*stache_copy_of(p, a) == C_RW)
        niu_launch(NIU_OP_KILL, p->shift - 6, a);
    __real_stache_inval_rw(a, meta);
}
