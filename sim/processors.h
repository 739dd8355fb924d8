/** \file
 * What each aP is doing, for a run in which nothing moves: it polls a queue for a message, it spins on memory that nobody changes, or
 * it computes. Polling and spinning end only by what others do; when nobody else does anything, they never end.
 */
#pragma once
#include "checkpoint.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

class Processors {
public:
    enum Kind : uint8_t { EXPRESS, BASIC, ONEPOLL };
    /** Of one aP. */
    struct State {
        bool polls = false;
        unsigned queue = 0;         ///< that it polls
        Kind kind = EXPRESS;
        uint64_t since = 0;         ///< cycle of its first look at that queue after its last message
        uint64_t sent = 0, got = 0; ///< cycles of its last message out and of the last one taken; 0: none
        uint32_t sentTo = 0;        ///< address of the launching store
        bool spins = false;
        uint32_t on = 0; ///< an address it loads while it spins
    };

    Processors(unsigned sites, unsigned aps) : aps_(aps), cpus_(sites * aps) {}

    /** An uncached access begins or ends. Returns whether it counts as a sign of life: all do but a look at a receive queue and at
     * registers that never change. */
    bool uncached(uint64_t cycle, unsigned site, unsigned ap, uint32_t address, bool begins);
    void commit(unsigned site, unsigned ap, bool store, uint32_t address) {
        Cpu &c = cpus_[site * aps_ + ap];
        if (store)
            c.busy = true;
        else if (!c.busy)
            load(c, address);
    }
    /** Looks at what happened since the last call and starts afresh. Returns whether someone computes; `waits(cpu)` says that an aP
     * waits for memory, and so does not. */
    template <typename Waits> bool computes(Waits waits) {
        bool any = false;
        for (size_t i = 0; i < cpus_.size(); i++) {
            Cpu &c = cpus_[i];
            c.state.polls = c.looked && !c.busy;
            c.state.spins = !c.looked && !c.busy && c.count;
            c.state.on = c.loads[0];
            any |= !c.state.polls && !c.state.spins && !waits(unsigned(i / aps_), unsigned(i % aps_));
            c.busy = c.looked = false;
            c.count = 0;
        }
        return any;
    }
    const State &state(unsigned site, unsigned ap) const { return cpus_[site * aps_ + ap].state; }
    void state(Checkpoint &c) { c(cpus_); }
    /** In words: what an aP that polls or spins waits for. Empty for others. */
    std::string describe(unsigned site, unsigned ap, uint64_t start) const;

private:
    /** Loads from more addresses than this are a computation. */
    static constexpr unsigned FEW = 8;
    struct Cpu {
        State state;
        bool busy = false, looked = false;
        unsigned count = 0;
        std::array<uint32_t, FEW> loads{};
    };
    static void load(Cpu &c, uint32_t address);

    unsigned aps_;
    std::vector<Cpu> cpus_;
};
