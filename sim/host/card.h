/** \file The card: site 0 of a simulated cluster, with its PCI Express pins in a slot. */
#pragma once
#include "cluster.h"
#include "pcie_block.h"

class Card {
public:
    /** A cluster of sites with `host=true`; firmware and program are loaded, sPs and aPs run. */
    explicit Card(const Options &options);

    /** A host's accesses. Each takes what a host needs for it, then what the card does: nothing else makes the card's time pass, so the
     * same accesses give the same cycles, but for `idle`. */
    std::vector<uint8_t> read(unsigned bar, uint64_t offset, size_t bytes);
    void write(unsigned bar, uint64_t offset, const uint8_t *data, size_t bytes);
    uint32_t configRead(unsigned offset, unsigned bytes) const { return block_.configRead(offset, bytes); }
    void configWrite(unsigned offset, unsigned bytes, uint32_t value) { block_.configWrite(offset, bytes, value); }

    std::pair<unsigned, uint64_t> barAt(uint64_t address) const { return block_.barAt(address); }

    /** The card's time goes on while the host does nothing: a process there may sleep until the card interrupts. */
    bool awaited() const { return settling_ && block_.msixEnabled(); }
    void idle() { pass(IDLE_CYCLES); }
    /** Interrupts since the last call. */
    std::vector<Interrupt> interrupts() { return block_.interrupts(); }

    uint64_t cycles() const { return cluster_.clock(); }
    /** Cycles of a site's clock from a read in the host to its request at the card, and a store's to the next: 1 us and 40 ns at 100 MHz.
     * A store of a register is done when the host goes on: it may be what arms an interrupt. */
    enum : unsigned { READ_CYCLES = 100, STORE_CYCLES = 4, IDLE_CYCLES = 500 };
    /** An interrupt that fires is at the host. */
    enum : unsigned { SETTLE_CYCLES = 64 };

private:
    void cycle();
    void edgeOfBlock();
    void pass(unsigned cycles);
    void tell();

    Ranks alone_;
    Cluster cluster_;
    VSite &pins_;
    PcieBlock block_;
    bool dead_ = false;
    unsigned settling_ = 0;
};
