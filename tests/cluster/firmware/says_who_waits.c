/* No fault: says when a message first waits for its answer's place. */
#include "events.h"
#include "tempest.h"

void __real_tt_ask_later(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word);
void __wrap_tt_ask_later(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word);
void __wrap_tt_ask_later(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word) {
    __real_tt_ask_later(kind, places, site, type, word);
    if (TT.places[kind].head && TT.complaints == 0)
        tt_complain("the first message that waits: kind, type", kind, type);
}
