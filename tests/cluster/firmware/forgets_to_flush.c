/* A protocol that takes ten lines away and leaves the caches alone, so that their write-backs are illegal. Two services of its own:
 * 6 takes the lines that begin at the word's address, 7 gives them back with what illegal_writes.c had stored in them. */
#include "events.h"
#include "tempest.h"

enum { TAKE = 6, LINES = 10, WORDS = 16 };

tt_handler __wrap_service_unknown;
void __wrap_service_unknown(uint32_t a, uint32_t meta) {
    uint32_t tag = meta >> META_MESSAGE_TAG_SHIFT & META_MESSAGE_TAG_MASK, name = meta >> META_MESSAGE_SOURCE_SHIFT & META_MESSAGE_SOURCE_MASK;
    for (uint32_t line = 0; line < LINES; line++, a += 64) {
        for (uint32_t i = 0; tag != TAKE && i < WORDS; i++)
            ((volatile uint32_t *)a)[i] = 0x01020304u * (line + 1) + i;
        niu_launch(NIU_OP_TAG, NIU_CMD_CTRL_SET_TAG(1) | NIU_CMD_CTRL_APPROVE(tag != TAKE) |
                                   NIU_CMD_CTRL_NEXT(tag == TAKE ? CLS_INVALID : CLS_EXCLUSIVE), a);
    }
    niu_express_to(name, tag, 0);
}
