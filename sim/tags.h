/** \file
 * cls tags of the shared heap at all sites, as their tag units write them. One site may hold a line Exclusive, or many Shared: that
 * is checked at every write, before any value can differ (BZ-02); but for pages of a mode that promises less than sequential consistency.
 */
#pragma once
#include "checkpoint.h"
#include "names.h"
#include <cstdint>
#include <string>
#include <vector>

class Tags {
public:
    enum Cls : uint8_t { OTHER, INVALID, SHARED, EXCLUSIVE, PENDING };
    Tags(const Names &names, unsigned sites, uint32_t base, uint32_t end) : names_(names), base_(base), opened_((end - base) / PAGE) {
        for (unsigned site = 0; site < sites; site++)
            tags_.emplace_back((end - base) / 64);
    }

    /** Lines of one word of the cls SRAM (32 lines) get tag `next`. */
    void written(uint64_t cycle, unsigned site, uint32_t word, uint32_t mask, unsigned next);
    /** The first page at or behind an address of which some site has written tags, or the heap's end. */
    uint32_t nextOpened(uint32_t address) const;
    uint8_t of(unsigned site, uint32_t address) const { return tags_[site][(address - base_) / 64]; }

    /** Empty, or the first time that two sites held what one may. */
    const std::string &broken() const { return broken_; }
    static const char *name(unsigned cls);
    enum : uint32_t { PAGE = 4096 };

    void state(Checkpoint &c) {
        for (auto &site : tags_)
            c(site);
        c(opened_);
    }

private:
    const Names &names_;
    uint32_t base_;
    std::vector<Sparse<uint8_t>> tags_;
    std::vector<bool> opened_; ///< by page
    std::string broken_;
};
