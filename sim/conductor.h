/**
 * \file
 * Conducts a run of sim/conducted.c: holds what sPs send each other, and lets one thing happen at a time, or a few at once: an
 * access of an aP, or a message that an sP takes. What stands everywhere when nothing more happens by itself is written down, for the
 * model checker to compare (tools/check/follow.cpp; formats in docs/reference/formats.md).
 */
#pragma once
#include "elf.h"
#include "gate.h"
#include "options.h"
#include "site.h"
#include "tags.h"
#include <fstream>
#include <random>

class Conductor {
public:
    /** Throws std::runtime_error when the plan (options.conduct) or the program is not one. */
    Conductor(const Options &options, const Elf &program, const std::vector<std::unique_ptr<Site>> &sites, const Tags &tags, const Names &names);
    /** In the place of a site's end of its link. */
    LinkPins entry(unsigned site) { return gates_[site].entry(); }

    /** Before the clock edge, behind the network's turn. */
    void cycle(uint64_t number);
    /** Something happened: a site is not at rest. */
    void stirs() { stirred_ = cycle_; }
    void marked(unsigned site, unsigned ap, uint32_t value);
    /** Whether all that was stored at an address of a cell is visible to all. */
    bool settled(uint32_t address) const;
    /** An aP did something with its queues but to look whether a message came. */
    void sends(unsigned site, unsigned number) { ap(site, number).sent = true; }
    void committed(unsigned site, unsigned ap, bool store, uint32_t address, uint32_t data);

    /** How the plan went: empty, or the choice that could not be made and why. */
    const std::string &left() const { return left_; }
    uint64_t choices() const { return made_; }

private:
    enum Kind : uint8_t { LOAD, STORE, EVICT, TAKE, CALL, REST };
    /** REST: nothing, when all that happens by itself has. */
    struct Choice {
        Kind kind;
        unsigned site, ap = 0, cell = 0, from = 0, channel = 0;
    };
    struct Ap {
        bool ready = false, busy = false, calls = false, sent = false; ///< sent: its call has left it
    };

    void readPlan(const std::string &path);
    Choice choice(std::istream &line, const std::string &word);
    unsigned cells() const { return blocks_ * std::max(1u, options_.block / CELL); }
    uint32_t address(unsigned cell) const { return page_ + cell * CELL; }
    Ap &ap(unsigned site, unsigned number) { return aps_[site * options_.aps + number]; }
    bool atRest() const;
    void next();
    void nextOfPlan();
    void chooseSome();
    void answered(unsigned site, unsigned number);
    uint32_t stores(unsigned site, unsigned number, unsigned cell) const;
    std::vector<Choice> possible();
    bool make(const Choice &c);
    void order(unsigned site, unsigned number, uint32_t what, uint32_t address);
    void observe();
    void end();

    /** Cycles without a sign of life after which nothing more happens by itself: more than a line takes from DRAM. */
    enum : uint64_t { REST_CYCLES = 200 };
    enum : unsigned { CELL = 128 };

    const Options &options_;
    const std::vector<std::unique_ptr<Site>> &sites_;
    const Tags &tags_;
    const Names &names_;
    std::vector<Gate> gates_;
    std::vector<Ap> aps_;
    std::vector<uint32_t> last_;  ///< stored into each cell
    std::vector<int> writer_;     ///< of each cell, whose stores others may not rely on yet, as the place of an aP; -1 nobody
    std::vector<Choice> plan_;
    size_t at_ = 0;
    bool random_ = false, service_ = false; ///< service_: the plan names one that makes stores visible
    uint64_t steps_ = 0;
    std::mt19937_64 chance_;
    std::ofstream out_;
    uint32_t orderAt_ = 0, page_ = 0, orders_ = 0;
    unsigned blocks_ = 1;
    uint64_t cycle_ = 0, stirred_ = 0, made_ = 0;
    enum { BEGINS, CONDUCTS, OVER } phase_ = BEGINS;
    std::string left_;
};
