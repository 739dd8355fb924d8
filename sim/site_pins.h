/** \file Probes of each aP, as pointers into the Verilated site: the one list of aPs, whatever their number. */
#pragma once
#include <cstdint>
#include <vector>

class VSite;

/** turnstile.cache.CacheProbe. */
struct ApPins {
    const uint8_t *missStart, *missStartOp;
    const uint32_t *missStartAddress;
    const uint8_t *missDone;
    const uint32_t *missDoneAddress;
    const uint8_t *waiting, *waitingOp;
    const uint32_t *waitingAddress;
    const uint8_t *commit, *commitStores, *commitSize;
    const uint32_t *commitAddress, *commitData;
    const uint8_t *changes; ///< an AMO commits, as a store; null at sites without
    const uint32_t *found;  ///< the word it found
    const uint8_t *completes; ///< an instruction leaves the last stage of its core, that at *pc
    const uint32_t *pc, *ra;  ///< *ra: register 1
};

std::vector<ApPins> apPins(VSite &site);
