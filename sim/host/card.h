/** \file The card of a host: a site of a simulated cluster, with its PCI Express pins in a slot. */
#pragma once
#include "cable.h"
#include "cluster.h"
#include "pcie_block.h"

class Card;

/** A cluster of sites with `host=true`, a card each. Time of all of them passes by the accesses of any host, one after the other, so the same accesses in the
 * same order give the same cycles, but for `idle`. */
class Cards {
public:
    /** Firmware and program are loaded; sPs and aPs run, but those that are left to their hosts (Options::held). Throws std::runtime_error when the firmware does not begin. */
    explicit Cards(const Options &options);
    ~Cards();
    Cards(const Cards &) = delete;

    Card &of(unsigned site) { return *cards_[site]; }
    uint64_t cycles() const { return cluster_.clock(); }
    void pass(unsigned cycles);
    /** Time goes on while no host does anything: a process of one of them may sleep until its card interrupts. */
    bool awaited() const;
    void idle() { pass(IDLE_CYCLES); }
    /** Says what went wrong since the last call. */
    void tell();

private:
    enum : unsigned { IDLE_CYCLES = 500 };

    static std::vector<VSite *> pinsOf(Cluster &cluster);

    Ranks alone_;
    Cluster cluster_;
    std::vector<std::unique_ptr<Card>> cards_;
    Cable cable_;
    bool dead_ = false;
};

class Card {
public:
    /** Of a site with pins `pins` and so much DRAM. Until `settle` is called first the block is in reset. */
    Card(Cards &all, VSite &pins, uint64_t memory);

    /** A host's accesses. Each takes what a host needs for it, then what the card does. */
    std::vector<uint8_t> read(unsigned bar, uint64_t offset, size_t bytes);
    void write(unsigned bar, uint64_t offset, const uint8_t *data, size_t bytes);
    uint32_t configRead(unsigned offset, unsigned bytes) const { return block_.configRead(offset, bytes); }
    void configWrite(unsigned offset, unsigned bytes, uint32_t value) { block_.configWrite(offset, bytes, value); }

    std::pair<unsigned, uint64_t> barAt(uint64_t address) const { return block_.barAt(address); }

    /** Interrupts since the last call. */
    std::vector<Interrupt> interrupts() { return block_.interrupts(); }
    /** A queue's vector is armed, or fired just now. */
    bool awaited() const { return settling_ && block_.msixEnabled(); }
    /** The host is gone: what it stored arrives, and the card interrupts nobody. */
    void unplug();

    /** Cycles of a site's clock from a read in the host to its request at the card, and a store's to the next: 1 us and 40 ns at 100 MHz.
     * A store of a register is done when the host goes on: it may be what arms an interrupt. */
    enum : unsigned { READ_CYCLES = 100, STORE_CYCLES = 4 };
    /** An interrupt that fires is at the host. */
    enum : unsigned { SETTLE_CYCLES = 64 };

    /* ---- of Cards ---- */
    /** The block's clock in a cycle of the site's, before it. */
    void edges();
    /** After it. */
    void settle() { settling_ = pins_.io_probe_hostAwaits ? SETTLE_CYCLES : settling_ - (settling_ > 0); }
    /** Lets the sP go, as a driver does. */
    void start();
    void reset(bool on) { pins_.io_userReset = on; }
    bool spWaits() const { return pins_.io_probe_spWaiting; }
    std::vector<std::string> told() { return block_.told(); }

private:
    Cards &all_;
    VSite &pins_;
    PcieBlock block_;
    unsigned settling_ = 0;
};
