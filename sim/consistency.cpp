#include "consistency.h"
#include <cstdio>

void Consistency::explain(uint64_t cycle, unsigned site, unsigned ap, const char *does, uint32_t address, unsigned size, uint32_t data) {
    uint32_t right = 0, seen = 0;
    unsigned writer = 0;
    for (unsigned i = 0; i < 1u << size; i++) {
        right |= uint32_t(memory_[address + i - base_]) << 8 * i;
        seen |= (data >> 8 * ((address + i) & 3) & 255) << 8 * i;
        if (writer_[address + i - base_])
            writer = writer_[address + i - base_];
    }
    char text[200];
    int n = std::snprintf(text, sizeof text, "not sequentially consistent: cycle %llu, site %u aP %u %s %x %s %08x (%u bytes); ",
                          (unsigned long long)cycle, site, ap, does, seen, *does == 'c' ? "to" : "from", address, 1u << size);
    if (writer)
        std::snprintf(text + n, sizeof text - n, "the last store there was %x, by site %u aP %u", right, (writer - 1) / 4, (writer - 1) % 4);
    else
        std::snprintf(text + n, sizeof text - n, "nobody stored there yet");
    broken_ = text;
}
