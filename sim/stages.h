/** \file The nine stages of a clean remote read (voyager §5), and latencies of all misses, from the sites' probes. */
#pragma once
#include "site.h"
#include <map>

class Stages {
public:
    static constexpr unsigned COUNT = 9;
    static const char *const names[COUNT];

    Stages(unsigned sites, unsigned aps, unsigned blockBytes) : aps_(aps), block_(blockBytes), reads_(sites * aps), phase_(sites * aps) {}

    void missStarted(uint64_t now, unsigned site, unsigned ap, uint32_t address, unsigned op);
    void missDone(uint64_t now, unsigned site, unsigned ap);
    void eventPushed(uint64_t now, unsigned site, uint32_t index, uint32_t arg);
    void eventTaken(uint64_t now, unsigned site, uint32_t index, uint32_t arg);
    void messageLaunched(uint64_t now, unsigned site, unsigned to, uint32_t tag);

    struct Sum {
        uint64_t count = 0, cycles[COUNT] = {}, total = 0, least = UINT64_MAX, most = 0;
    };
    const Sum &cleanReads() const { return sum_; }
    /** All accesses that met an event, by log2 of their cycles; and the others (served by the site's own DRAM or caches). */
    const std::map<unsigned, uint64_t> &remoteHistogram() const { return remote_; }
    const std::map<unsigned, uint64_t> &localHistogram() const { return local_; }
    uint64_t remoteCount = 0, remoteCycles = 0, localCount = 0, localCycles = 0;
    /** Misses by what the aP last wrote to MARK (none: 0), uncached accesses apart: for benchmarks. */
    struct Phase {
        uint64_t remote = 0, remoteCycles = 0, local = 0, localCycles = 0;
    };
    void marked(unsigned site, unsigned ap, uint32_t value) { phase_[site * aps_ + ap] = value; }
    /** Express messages of aPs: from the store to the return of the load of the data, where one is under way at a time. */
    struct Express {
        uint64_t sent = 0, count = 0, cycles = 0, least = UINT64_MAX;
    };
    const Express &express() const { return express_; }
    const std::map<uint32_t, Phase> &phases() const { return phases_; }
    /** The last clean read, absolute cycles: start and the end of each stage. */
    const std::array<uint64_t, COUNT + 1> &lastTimes() const { return last_; }

private:
    struct Read {
        bool active = false, remote = false, traced = false;
        uint32_t address = 0;
        unsigned stage = 0, home = 0;
        std::array<uint64_t, COUNT + 1> time{};
    };
    template <typename Match> void advance(uint64_t now, unsigned stage, Match match);
    uint32_t blockOf(uint32_t a) const { return a & ~(block_ - 1); }

    unsigned aps_;
    uint32_t block_;
    std::vector<Read> reads_;
    std::vector<uint32_t> phase_;
    std::map<uint32_t, Phase> phases_;
    Express express_;
    Sum sum_;
    std::map<unsigned, uint64_t> remote_, local_;
    std::array<uint64_t, COUNT + 1> last_{};
};
