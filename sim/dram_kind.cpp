#include "dram_kind.h"

static constexpr uint64_t ns(double time) { return uint64_t(time * 1000 + 0.5); }

const std::vector<DramKind> dramKinds = {
    {"ddr4", "DDR4-2400 17-17-17, 64 bits of x4 8 Gb: a DIMM of the Alveo U250",
     16, 4, 8192, 64, ns(0.833), ns(3.332),
     ns(14.16), ns(10), ns(14.16), ns(14.16), ns(14.16), ns(32),
     ns(3.332), ns(4.9), ns(13.328),
     ns(3.332), ns(5),
     ns(2.5), ns(7.5), ns(7.5), ns(15),
     ns(350), ns(7800),
     ns(55.8), ns(3.333)},
    {"hbm2", "HBM2-2000, one pseudo-channel of 64 bits, 4 Gb a channel: 1 of 32 of the Alveo U50",
     16, 4, 1024, 32, ns(1), ns(2),
     ns(18), ns(7), ns(12), ns(6), ns(14), ns(28),
     ns(4), ns(6), ns(16),
     ns(2), ns(3),
     ns(4), ns(9), ns(5), ns(14),
     ns(260), ns(3900),
     ns(86.7), ns(2.222)},
    {"ddr3", "DDR3-1333 9-9-9, 16 bits of one x16 4 Gb: a 7-series or ECP5 card",
     8, 1, 2048, 16, ns(1.5), ns(6),
     ns(13.5), ns(10.5), ns(13.5), ns(13.5), ns(13.5), ns(36),
     ns(7.5), ns(7.5), ns(45),
     ns(6), ns(6),
     ns(7.5), ns(7.5), ns(7.5), ns(15),
     ns(260), ns(7800),
     ns(100.5), ns(6)},
};

const DramKind *dramKind(const std::string &name) {
    for (const DramKind &k : dramKinds)
        if (name == k.name)
            return &k;
    return nullptr;
}

std::string dramKindNames() {
    std::string names;
    for (const DramKind &k : dramKinds)
        names += (names.empty() ? "" : ", ") + std::string(k.name);
    return names;
}
