#include "sharing.h"
#include <algorithm>

void Sharing::missed(unsigned site, uint32_t address, uint64_t cycles) {
    if (!counting_ || address < base_ || address >= end_)
        return;
    Block &b = blocks_[address & ~(block_ - 1)];
    b.misses++;
    b.cycles += cycles;
    b.sites |= uint64_t(1) << site;
}

void Sharing::marked(uint32_t value) {
    if (value == END)
        counting_ = false;
    if (value != BEGIN)
        return;
    counting_ = true;
    blocks_.clear();
    users_ = Sparse<uint8_t>(users_.size());
    writers_ = Sparse<uint64_t>(writers_.size());
}

bool Sharing::falselyShared(uint32_t address) const {
    const size_t first = (address - base_) / 4;
    if (!writers_[(address - base_) / block_])
        return false;
    uint64_t sites = 0;
    for (size_t word = first; word < first + block_ / 4; word++) {
        if (users_[word] == SEVERAL)
            return false;
        if (users_[word])
            sites |= uint64_t(1) << (users_[word] - 1);
    }
    return sites & (sites - 1); // more than one
}

std::vector<Sharing::Page> Sharing::dearest() const {
    std::map<uint32_t, Page> pages;
    for (auto &[address, block] : blocks_) {
        Page &page = pages.try_emplace(address / PAGE, Page{address & ~(PAGE - 1)}).first->second;
        page.misses += block.misses;
        page.cycles += block.cycles;
        page.sites |= block.sites;
        page.writers |= writers_[(address - base_) / block_];
        if (falselyShared(address))
            page.falselyShared.push_back(address);
    }
    std::vector<Page> found;
    for (auto &[number, page] : pages)
        found.push_back(page);
    std::stable_sort(found.begin(), found.end(), [](const Page &a, const Page &b) { return a.cycles > b.cycles; });
    found.resize(std::min(found.size(), SHOWN));
    return found;
}
