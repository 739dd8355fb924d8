#include "tags.h"
#include <algorithm>
#include <cstdio>

const char *Tags::name(unsigned cls) {
    static const char *const names[8] = {"Other", "Invalid", "Shared", "Exclusive", "PendRead", "PendExcl", "PendDown", "Fill"};
    return names[cls & 7];
}

uint32_t Tags::nextOpened(uint32_t address) const {
    return base_ + (std::find(opened_.begin() + (address - base_) / PAGE, opened_.end(), true) - opened_.begin()) * PAGE;
}

void Tags::written(uint64_t cycle, unsigned site, uint32_t word, uint32_t mask, unsigned next) {
    if (mask && word * 32 < tags_[site].size())
        opened_[word * 32 / (PAGE / 64)] = true;
    for (; mask; mask &= mask - 1) {
        const size_t line = word * 32 + __builtin_ctz(mask);
        if (line >= tags_[site].size())
            continue;
        tags_[site][line] = next;
        if ((next != SHARED && next != EXCLUSIVE) || !names_.sequential(base_ + uint32_t(line) * 64))
            continue;
        for (unsigned other = 0; other < tags_.size() && broken_.empty(); other++) {
            const unsigned held = tags_[other][line];
            if (other == site || (held != EXCLUSIVE && !(held == SHARED && next == EXCLUSIVE)))
                continue;
            char text[200];
            std::snprintf(text, sizeof text, "two sites hold one line: cycle %llu, site %u sets the tag of %08x to %s while it is %s at site %u",
                          (unsigned long long)cycle, site, base_ + uint32_t(line) * 64, name(next), name(held), other);
            broken_ = text;
        }
    }
}
