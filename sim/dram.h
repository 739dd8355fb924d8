/**
 * \file One channel of DRAM and its controller: when each access is done (docs/design/dram.md). What memory holds is not its business.
 *
 * Rows stay open until another of their bank is wanted or the channel is refreshed. Reads come first; writes wait in a queue until no read
 * does, or many do, or a read wants a line of theirs. Of those that may go, row hits do, else the oldest, and nobody is passed for ever.
 */
#pragma once
#include "checkpoint.h"
#include "dram_kind.h"
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

class Dram {
public:
    /** `megahertz`: the clock of the site. Refreshes of sites, by their number, come at different times. */
    Dram(const DramKind &kind, unsigned megahertz, unsigned site);

    /** Of two that are equal all cycles are. */
    std::string timing() const { return kind_.name + ("@" + std::to_string(period_)); }
    /** Its address, or its last data, leaves the site with the edge that ends `cycle`; `bytes` (16 to 64) lie in one line of 64. Cycles do not decrease. */
    void read(uint64_t cycle, uint32_t address, unsigned bytes, uint64_t tag);
    void write(uint64_t cycle, uint32_t address, unsigned bytes);

    /** A read: its beats can be at the site from `cycle` on, one a cycle. A write: its response can; writes are answered in their order. */
    struct Answer {
        bool write;
        uint64_t tag, cycle;
    };
    /** What is decided up to the end of `cycle`, when nothing more can come before it. Each answer is of a later cycle. */
    const std::vector<Answer> &decide(uint64_t cycle);

    struct Counts {
        uint64_t hits = 0, misses = 0, conflicts = 0; ///< accesses whose row was open; whose bank had none open; had another
        uint64_t refreshes = 0, turns = 0;            ///< turns: writes after reads, or reads after writes
    };
    /** After `cycle`, or up to its end. */
    void count(uint64_t cycle, bool on);
    const Counts &counts() const { return counts_; }
    void learn(const Counts &counts) { counts_ = counts; }

    void state(Checkpoint &c) {
        c(reads_, posted_, writes_, banks_, lastRead_, lastWrite_, activated_, activatedOf_, next_, free_, refreshAt_, writing_, counting_, counts_);
    }

private:
    enum : uint32_t { NONE = UINT32_MAX };
    enum : unsigned { WRITES = 16, MANY = 12, FEW = 4, PATIENCE = 16 };
    struct Access {
        uint64_t at, tag; ///< at: when the controller knows of it
        uint32_t line, row;
        unsigned bank, bursts, passed;
    };
    struct Bank {
        uint32_t row = NONE;
        uint64_t activate = 0, precharge = 0, read = 0, write = 0; ///< from when on it can
    };
    /** Of one direction: the last column command, of all banks and of each group. */
    struct Columns {
        uint64_t last = 0;
        std::array<uint64_t, 4> of{};
    };
    Access access(uint64_t cycle, uint32_t address, unsigned bytes, uint64_t tag) const;
    uint64_t atSite(uint64_t time) const;
    bool held(const Access &read) const;
    bool turns(uint64_t time) const;
    std::deque<Access>::iterator choose(std::deque<Access> &queue, uint64_t time);
    void admit(uint64_t time);
    void refresh(uint64_t time);
    void open(Bank &bank, const Access &access, uint64_t time);
    uint64_t column(unsigned group, uint64_t earliest);
    void serve(const Access &access, uint64_t time);
    unsigned groupOf(unsigned bank) const { return bank % kind_.groups; }

    const DramKind kind_; ///< in whole tCK
    const uint64_t period_, there_, back_; ///< of the site's clock; from the site to a decision; from data to the crossing
    std::deque<Access> reads_, posted_, writes_; ///< posted: writes for which the queue has no place yet
    std::vector<Bank> banks_;
    Columns lastRead_, lastWrite_;
    std::array<uint64_t, 4> activated_{}; ///< the last four, oldest first
    std::array<uint64_t, 4> activatedOf_{};
    uint64_t next_ = 0, free_ = 0, refreshAt_;
    bool writing_ = false, counting_ = false;
    std::vector<Answer> answers_;
    Counts counts_;
};
