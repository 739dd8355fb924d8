/** \file
 * gdb at processors of a run. While gdb has them the whole cluster stands still between two cycles, so a run with it has the cycles, answers and report of a run
 * without. A processor stops at an instruction that is in its last stage: all before it are complete, and stores of the one or two behind it may be.
 */
#pragma once
#include "consistency.h"
#include "elf.h"
#include "gdb_stub.h"
#include "options.h"
#include "site.h"
#include <memory>
#include <vector>

class Debugger : private GdbStub::Target {
public:
    Debugger(const Options &options, const std::vector<std::unique_ptr<Site>> &sites, const Consistency &consistency);

    /** Waits for gdb, and for it to let the processors go. */
    void begin();
    /** An instruction at `pc` is in its last cycle. `core`: an aP of the site, or Site::SP. */
    void completes(unsigned site, unsigned core, uint32_t pc);
    /** A load or store of an aP takes effect at a bus address. `size`: log2 of its bytes. */
    void accessed(unsigned site, unsigned ap, bool store, uint32_t address, unsigned size, uint32_t data);
    void ended(int status) { stub_.ended(status); }

private:
    unsigned threads() const override { return options_.debugged.size(); }
    std::string name(unsigned thread) const override;
    std::array<uint32_t, 33> registers(unsigned thread) const override;
    bool read(unsigned thread, uint32_t address, uint8_t &byte) const override;
    bool tells(unsigned thread) const override { return options_.debugged[thread - 1].core != Site::SP; }
    unsigned threadOf(unsigned site, unsigned core) const;
    bool readBus(unsigned site, uint32_t address, uint8_t &byte) const;

    const Options &options_;
    const std::vector<std::unique_ptr<Site>> &sites_;
    const Consistency &consistency_;
    GdbStub stub_;
    std::vector<uint32_t> pcs_;              ///< of each thread: the instruction that is in its last cycle, or was last
    std::vector<bool> begun_;                ///< it has had its first instruction, at which it stood already
    std::vector<Sparse<uint16_t>> private_; ///< of each site, what aPs last stored below the heap, + 0x100: caches may have it alone
    unsigned step_ = 0, watched_ = 0;        ///< threads that stop at their next instruction; watched_: for what it loaded or stored
    bool interrupted_ = false;
    uint64_t instructions_ = 0;
};
