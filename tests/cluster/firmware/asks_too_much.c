/* The first barrier launches more commands that tell than the engine and the sP's FIFO have places for. */
#include "events.h"
#include "niu_ops.h"
#include "tempest.h"

enum { COMMANDS = 100 };

tt_handler __wrap_fault_other, __real_service_barrier, __wrap_service_barrier;
void __wrap_fault_other(uint32_t a, uint32_t meta) { (void)a, (void)meta; } /* takes what they tell */
void __wrap_service_barrier(uint32_t word, uint32_t meta) {
    static uint32_t launched;
    while (launched < COMMANDS)
        niu_launch(NIU_OP_TAG, NIU_CMD_CTRL_NOTIFY(1), HEAP_BASE + 64 * launched++);
    __real_service_barrier(word, meta);
}
