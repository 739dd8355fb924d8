/* Firmware that believes in the smallest FIFOs it takes: 48 high events, 40 slots. That is one block of 2 KB at a time for its aPs, one
 * as a home, and 16 words. Says when a message first waits for its answer's place. */
#include "events.h"
#include "tempest.h"

void __real_tt_places_init(uint32_t events, uint32_t slots);
void __wrap_tt_places_init(uint32_t events, uint32_t slots);
void __wrap_tt_places_init(uint32_t events, uint32_t slots) {
    (void)events, (void)slots;
    __real_tt_places_init(48, 40);
}

void __real_tt_ask_later(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word);
void __wrap_tt_ask_later(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word);
void __wrap_tt_ask_later(enum tt_kind kind, uint32_t places, uint32_t site, uint32_t type, uint32_t word) {
    __real_tt_ask_later(kind, places, site, type, word);
    if (TT.places[kind].head && TT.complaints == 0)
        tt_complain("the first message that waits: kind, type", kind, type);
}
