/* A copy that acknowledges an invalidation, and gives the copy up only some time later. */
#include "stache.h"

tt_handler __real_stache_inval_ro, __wrap_stache_inval_ro;
void __wrap_stache_inval_ro(uint32_t a, uint32_t meta) {
    struct tt_page *p = tt_page_of(a);
    uint8_t *s = stache_copy_of(p, a);
    if (*s != C_RO) {
        __real_stache_inval_ro(a, meta);
        return;
    }
    tt_reply(p->home, STACHE_ACK, a);
    for (uint32_t until = NIU_REG(NIU_TIME_LO) + 2000; (int32_t)(NIU_REG(NIU_TIME_LO) - until) < 0;) {
    }
    niu_launch(NIU_OP_FLUSH, NIU_CHANGE(TT_READ_ONLY, TT_INVALID), a);
    *s = C_INV;
}
