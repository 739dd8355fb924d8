/** \file The nine stages of a clean remote read (docs/reference/nine-stages.md), and latencies of all misses, from the sites' probes. */
#pragma once
#include "names.h"
#include "site.h"
#include <map>
#include <optional>

class Stages {
public:
    static constexpr unsigned COUNT = 9;
    static const char *const names[COUNT];
    /** Clean reads kept one by one for reads.csv; later ones only count in the means. */
    static constexpr size_t KEPT = 20000;

    Stages(const Names &protocols, unsigned sites, unsigned aps, unsigned blockBytes, const MemoryLayout &memory) : memory_(memory), protocols_(protocols), aps_(aps), block_(blockBytes), reads_(sites * aps), phase_(sites * aps) {}

    void missStarted(uint64_t now, unsigned site, unsigned ap, uint32_t address, unsigned op);
    /** An access that met an event. */
    struct Miss {
        unsigned site, ap;
        uint32_t address;
        uint64_t from, to; ///< cycles in which its aP asked for the bus and went on
    };
    /** The miss that ended, when it was remote. */
    std::optional<Miss> missDone(uint64_t now, unsigned site, unsigned ap);
    void eventPushed(uint64_t now, unsigned site, uint32_t index, uint32_t arg);
    void eventTaken(uint64_t now, unsigned site, uint32_t index, uint32_t arg);
    void messageLaunched(uint64_t now, unsigned site, unsigned to, uint32_t tag);

    struct Sum {
        uint64_t count = 0, cycles[COUNT] = {}, total = 0, least = UINT64_MAX, most = 0;
    };
    const Sum &cleanReads() const { return sum_; }
    /** All accesses of memory that met an event, by log2 of their cycles; and the others (served by the site's own DRAM or caches). */
    const std::map<unsigned, uint64_t> &remoteHistogram() const { return remote_; }
    const std::map<unsigned, uint64_t> &localHistogram() const { return local_; }
    uint64_t remoteCount = 0, remoteCycles = 0, localCount = 0, localCycles = 0;
    /** Accesses of registers, messages and pointers: also what an aP does while it polls. */
    uint64_t uncachedCount = 0, uncachedCycles = 0;
    /** Misses by what the aP last wrote to MARK (none: 0), uncached accesses apart: for benchmarks. */
    struct Phase {
        uint64_t remote = 0, remoteCycles = 0, local = 0, localCycles = 0;
        std::map<uint64_t, uint64_t> remoteBy, localBy; ///< cycles to count
        static uint64_t median(const std::map<uint64_t, uint64_t> &by);
        void state(Checkpoint &c) { c(remote, remoteCycles, local, localCycles, remoteBy, localBy); }
    };
    void marked(unsigned site, unsigned ap, uint32_t value) { phase_[site * aps_ + ap] = value; }
    /** Express messages sent by an aP whose mark is EXPRESS_MARK, one under way at a time: from the store to the return of the load
     * of the data. */
    static constexpr uint32_t EXPRESS_MARK = 7;
    struct Express {
        uint64_t sent = 0, count = 0, cycles = 0, least = UINT64_MAX;
    };
    const Express &express() const { return express_; }
    const std::map<uint32_t, Phase> &phases() const { return phases_; }
    struct CleanRead {
        unsigned site, ap;
        uint32_t mark, address;
        std::array<uint64_t, COUNT + 1> time; ///< start and the end of each stage
    };
    const std::vector<CleanRead> &kept() const { return kept_; }

    void state(Checkpoint &c) {
        c(remoteCount, remoteCycles, localCount, localCycles, uncachedCount, uncachedCycles);
        c(reads_, phase_, phases_, express_, sum_, remote_, local_, kept_);
    }

private:
    struct Read {
        bool active = false, remote = false, traced = false;
        uint32_t address = 0;
        unsigned stage = 0, home = 0;
        std::array<uint64_t, COUNT + 1> time{};
    };
    template <typename Match> void advance(uint64_t now, unsigned stage, Match match);
    uint32_t blockOf(uint32_t a) const { return a & ~(block_ - 1); }

    const MemoryLayout &memory_;
    const Names &protocols_;
    unsigned aps_;
    uint32_t block_;
    std::vector<Read> reads_;
    std::vector<uint32_t> phase_;
    std::map<uint32_t, Phase> phases_;
    Express express_;
    Sum sum_;
    std::map<unsigned, uint64_t> remote_, local_;
    std::vector<CleanRead> kept_;
};
