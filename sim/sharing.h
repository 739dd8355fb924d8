/**
 * \file Which pages of the shared heap cost their sharers most, and which blocks are shared falsely: several sites use the block, one
 * stores to it, and no word of it is used by two of them. Of the parallel part, when process 0 marks it (1: it begins, 2: it ends); else of all.
 */
#pragma once
#include "checkpoint.h"
#include <cstdint>
#include <map>
#include <vector>

class Sharing {
public:
    enum : uint32_t { PAGE = 4096, BEGIN = 1, END = 2 }; ///< bytes; marks
    static constexpr size_t SHOWN = 16;         ///< pages, and blocks of a page, that are told

    Sharing(uint32_t base, uint32_t end, uint32_t blockBytes) : base_(base), end_(end), block_(blockBytes), users_((end - base) / 4), writers_((end - base) / blockBytes) {}

    /** An access takes effect. Words are of 4 bytes. */
    void commit(unsigned site, bool store, uint32_t address) {
        if (!counting_ || address < base_ || address >= end_)
            return;
        uint8_t &user = users_[(address - base_) / 4];
        user = user == 0 || user == site + 1 ? site + 1 : SEVERAL;
        if (store)
            writers_[(address - base_) / block_] |= uint64_t(1) << site;
    }
    /** An access that an sP had to serve has ended. */
    void missed(unsigned site, uint32_t address, uint64_t cycles);
    /** Process 0 did. BEGIN: all again from here. END: no more from here. */
    void marked(uint32_t value);

    struct Page {
        uint32_t address;
        uint64_t misses = 0, cycles = 0, sites = 0, writers = 0; ///< sites: a bit each
        std::vector<uint32_t> falselyShared{};                   ///< blocks
    };
    /** Pages with remote misses, the dearest first, SHOWN at most. */
    std::vector<Page> dearest() const;

    void state(Checkpoint &c) { c(counting_, users_, writers_, blocks_); }

private:
    static constexpr uint8_t SEVERAL = 255;
    struct Block {
        uint64_t misses = 0, cycles = 0, sites = 0;
    };
    bool falselyShared(uint32_t address) const;

    uint32_t base_, end_, block_;
    bool counting_ = true;
    Sparse<uint8_t> users_;     ///< of each word: 0 none, 1 + site, or SEVERAL
    Sparse<uint64_t> writers_;  ///< of each block: sites
    std::map<uint32_t, Block> blocks_; ///< that were missed remotely, by address
};
