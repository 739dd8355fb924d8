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
    const uint32_t *pc, *registers; ///< x0 to x31
};

/** The sP's core, and its memory: words of instructions; bytes of data, those of a word in four arrays. */
struct SpPins {
    const uint8_t *completes;
    const uint32_t *pc, *registers, *instructions;
    const uint8_t *data[4];
};

std::vector<ApPins> apPins(VSite &site);
SpPins spPins(VSite &site);
