#include "typist.h"
#include "site.h"
#include <cstring>
#include <stdexcept>

static const std::string prompt = "sP> ";
/* Cycles: a prompt stands for so long only when nothing comes behind it; the longest command waits 10 ms of the board's time. */
enum : uint64_t { STANDS = 20'000, PATIENCE = 5'000'000 };

bool Typist::types(uint64_t cycle, Site &site, uint32_t place, const std::string &shown) {
    if (cycle < next_)
        return typed_ <= lines_.size();
    if (shown != prompt)
        other_ = cycle;
    if (typed_ && cycle - other_ < STANDS) {
        if (cycle - last_ > PATIENCE)
            throw std::runtime_error("the shell did not answer within " + std::to_string(PATIENCE) + " cycles: '" + (typed_ > 1 ? lines_[typed_ - 2] : "") + "'");
        return true;
    }
    if (typed_ > lines_.size())
        return false;
    const std::string line = (typed_ ? lines_[typed_ - 1] : "") + "\r";
    for (unsigned i = 0; i < line.size(); i += 4) {
        uint32_t word = 0;
        std::memcpy(&word, &line[i], std::min<size_t>(4, line.size() - i));
        site.hostWrite(place + 4 + i, word);
    }
    site.hostWrite(place, line.size());
    typed_++;
    last_ = other_ = cycle;
    return true;
}
