#include "card.h"
#include <iostream>

/* The block's clock has so many cycles in one of the site's: 250 MHz and, nearly, 100 MHz. */
enum : unsigned { BLOCK_CYCLES = 2, RESET_CYCLES = 16, BOOT_CYCLES = 200'000 };

Card::Card(const Options &options) : cluster_(options, alone_), pins_(*cluster_.sites()[0]->model), block_(options.memory.bytes) {
    pins_.io_userReset = 1;
    cluster_.boot();
    for (unsigned i = 0; i < RESET_CYCLES; i++)
        cycle();
    pins_.io_userReset = 0;
    const uint64_t end = cycles() + BOOT_CYCLES;
    while (!pins_.io_probe_spWaiting && cycles() < end)
        cycle();
    if (!pins_.io_probe_spWaiting)
        throw std::runtime_error("the sP does not wait for an event " + std::to_string(BOOT_CYCLES) + " cycles after its reset: is that firmware?");
}

void Card::edgeOfBlock() {
    const bool reset = pins_.io_userReset;
    const PcieBeat *beat = reset ? nullptr : block_.offered();
    pins_.io_cq_tvalid = beat != nullptr;
    if (beat) {
        pins_.io_cq_tdata = beat->data;
        pins_.io_cq_tkeep = beat->keep;
        pins_.io_cq_tlast = beat->last;
        for (unsigned i = 0; i < 3; i++)
            pins_.io_cq_tuser[i] = beat->user[i];
    }
    pins_.io_cc_tready = 1;
    pins_.io_rq_tready = 1;
    pins_.io_msixEnable = block_.msixEnabled();
    pins_.io_msixMask = block_.msixMasked();
    pins_.eval();
    const bool taken = beat && pins_.io_cq_tready;
    if (!reset && pins_.io_cc_tvalid)
        block_.completion({pins_.io_cc_tdata, pins_.io_cc_tkeep, bool(pins_.io_cc_tlast), {}});
    if (!reset && pins_.io_rq_tvalid)
        block_.requested({pins_.io_rq_tdata, pins_.io_rq_tkeep, bool(pins_.io_rq_tlast), {uint32_t(pins_.io_rq_tuser)}});
    if (!reset && pins_.io_npRequest)
        block_.place();
    if (taken)
        block_.accepted();
    block_.tick();
    pins_.io_userClk = 1;
    pins_.eval();
    pins_.io_userClk = 0;
    pins_.eval();
}

void Card::cycle() {
    for (unsigned i = 0; i < BLOCK_CYCLES; i++)
        edgeOfBlock();
    cluster_.step();
    settling_ = pins_.io_probe_hostAwaits ? SETTLE_CYCLES : settling_ - (settling_ > 0);
}

void Card::pass(unsigned cycles) {
    for (unsigned i = 0; i < cycles; i++)
        cycle();
}

void Card::tell() {
    for (const std::string &sentence : block_.told())
        std::cerr << "turnstile-host: cycle " << cycles() << ": " << sentence << std::endl;
    if (!dead_ && cluster_.ending() == Cluster::TRAPPED) {
        dead_ = true;
        std::cerr << "turnstile-host: cycle " << cycles() << ": an sP stopped: its firmware trapped" << std::endl;
    }
}

std::vector<uint8_t> Card::read(unsigned bar, uint64_t offset, size_t bytes) {
    if (!block_.reaches(bar, offset, bytes)) {
        tell();
        return std::vector<uint8_t>(bytes, 0xFF);
    }
    pass(READ_CYCLES);
    block_.read(bar, offset, bytes);
    while (!block_.idle()) // at the latest when all of it has timed out
        cycle();
    tell();
    return block_.take();
}

void Card::write(unsigned bar, uint64_t offset, const uint8_t *data, size_t bytes) {
    if (block_.reaches(bar, offset, bytes)) {
        block_.write(bar, offset, data, bytes);
        pass(bar == 0 ? READ_CYCLES : STORE_CYCLES);
    }
    tell();
}
