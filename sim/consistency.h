/** \file
 * Sequential consistency, checked while a program runs: every cached load and store of the shared heap, in the order of the
 * cycles in which they took effect (of one cycle, a site's loads first), against one flat memory. A cluster that passes has shown one total
 * order that agrees with every processor's own (BZ-02, BZ-26).
 */
#pragma once
#include "checkpoint.h"
#include <cstdint>
#include <string>

class Consistency {
public:
    Consistency(uint32_t base, uint32_t end) : base_(base), end_(end), memory_(end - base), writer_(end - base) {}

    /** An access takes effect. `size`: log2 of its bytes; `data`: the word it lies in, bytes in their lanes. */
    void commit(uint64_t cycle, unsigned site, unsigned ap, bool store, uint32_t address, unsigned size, uint32_t data) {
        if (address < base_ || address >= end_)
            return;
        for (uint32_t a = address; a < address + (1u << size); a++) {
            uint8_t byte = data >> 8 * (a & 3);
            if (store) {
                memory_[a - base_] = byte;
                writer_[a - base_] = 1 + site * 4 + ap;
            } else if (memory_[a - base_] != byte && broken_.empty()) {
                explain(cycle, site, ap, "loads", address, size, data);
            }
        }
        (store ? stores_ : loads_)++;
    }

    /** A store that copies what another site stored, from a message into a frame kept by software: it changes nothing, and must be the last store still. */
    void copied(uint64_t cycle, unsigned site, unsigned ap, uint32_t address, unsigned size, uint32_t data) {
        if (address < base_ || address >= end_)
            return;
        for (uint32_t a = address; a < address + (1u << size); a++)
            if (writer_[a - base_] && memory_[a - base_] != uint8_t(data >> 8 * (a & 3)) && broken_.empty())
                explain(cycle, site, ap, "copies", address, size, data);
        copies_++;
    }

    /** Whether a byte was ever stored to, what was stored last, and by whom (site * 4 + ap). */
    bool written(uint32_t address) const { return writer_[address - base_] != 0; }
    bool writtenLine(uint32_t line) const {
        for (uint32_t i = 0; i < 64; i++)
            if (written(line + i))
                return true;
        return false;
    }
    uint8_t last(uint32_t address) const { return memory_[address - base_]; }
    unsigned writer(uint32_t address) const { return writer_[address - base_] - 1; }

    /** Empty, or the first load that read what it must not. */
    const std::string &broken() const { return broken_; }
    uint64_t loads() const { return loads_; }
    uint64_t stores() const { return stores_; }
    uint64_t copies() const { return copies_; }

    void state(Checkpoint &c) { c(memory_, writer_, loads_, stores_, copies_); }

private:
    void explain(uint64_t cycle, unsigned site, unsigned ap, const char *does, uint32_t address, unsigned size, uint32_t data);

    uint32_t base_, end_;
    Sparse<uint8_t> memory_;
    Sparse<uint16_t> writer_;
    std::string broken_;
    uint64_t loads_ = 0, stores_ = 0, copies_ = 0;
};
