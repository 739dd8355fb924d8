#include "card.h"
#include "niu_regs.h"
#include <algorithm>
#include <iostream>

/* The block's clock has so many cycles in one of the site's: 250 MHz and, nearly, 100 MHz. */
enum : unsigned { BLOCK_CYCLES = 2, RESET_CYCLES = 16, BOOT_CYCLES = 200'000 };

std::vector<VSite *> Cards::pinsOf(Cluster &cluster) {
    std::vector<VSite *> pins;
    for (const auto &site : cluster.sites())
        pins.push_back(site->model.get());
    return pins;
}

Cards::Cards(const Options &options) : cluster_(options, alone_), cable_(pinsOf(cluster_)) {
    if (TURNSTILE_WIRE && options.sites > 2)
        throw std::runtime_error("sites=" + std::to_string(options.sites) + " of cards on a cable: legal are 1 and 2");
    cable_.reset(true);
    for (const auto &site : cluster_.sites())
        cards_.push_back(std::make_unique<Card>(*this, *site->model, options.memory.bytes));
    cluster_.boot();
    pass(RESET_CYCLES);
    cable_.reset(false);
    for (const auto &card : cards_)
        card->reset(false);
    if (options.held)
        return;
    for (const auto &card : cards_)
        card->start();
    const auto waits = [this] { return std::all_of(cards_.begin(), cards_.end(), [](const auto &card) { return card->spWaits(); }); };
    for (const uint64_t end = cycles() + BOOT_CYCLES; !waits();) {
        if (cycles() >= end)
            throw std::runtime_error("an sP does not wait for an event " + std::to_string(BOOT_CYCLES) + " cycles after its reset: is that firmware?");
        pass(1);
    }
}

Cards::~Cards() = default;

void Cards::pass(unsigned cycles) {
    for (unsigned i = 0; i < cycles; i++) {
        for (const auto &card : cards_)
            card->edges();
        cable_.cycle();
        cluster_.step();
        for (const auto &card : cards_)
            card->settle();
    }
}

bool Cards::awaited() const {
    return std::any_of(cards_.begin(), cards_.end(), [](const auto &card) { return card->awaited(); });
}

void Cards::tell() {
    for (size_t site = 0; site < cards_.size(); site++)
        for (const std::string &sentence : cards_[site]->told())
            std::cerr << "turnstile-host: cycle " << cycles() << ", site " << site << ": " << sentence << std::endl;
    if (!dead_ && cluster_.ending() == Cluster::TRAPPED) {
        dead_ = true;
        std::cerr << "turnstile-host: cycle " << cycles() << ": an sP stopped: its firmware trapped" << std::endl;
    }
}

Card::Card(Cards &all, VSite &pins, uint64_t memory) : all_(all), pins_(pins), block_(memory) { reset(true); }

static void edge(VSite &pins, PcieBlock &block) {
    const bool reset = pins.io_userReset;
    const PcieBeat *beat = reset ? nullptr : block.offered();
    pins.io_cq_tvalid = beat != nullptr;
    if (beat) {
        pins.io_cq_tdata = beat->data;
        pins.io_cq_tkeep = beat->keep;
        pins.io_cq_tlast = beat->last;
        for (unsigned i = 0; i < 3; i++)
            pins.io_cq_tuser[i] = beat->user[i];
    }
    pins.io_cc_tready = 1;
    pins.io_rq_tready = 1;
    pins.io_msixEnable = block.msixEnabled();
    pins.io_msixMask = block.msixMasked();
    pins.eval();
    const bool taken = beat && pins.io_cq_tready;
    if (!reset && pins.io_cc_tvalid)
        block.completion({pins.io_cc_tdata, pins.io_cc_tkeep, bool(pins.io_cc_tlast), {}});
    if (!reset && pins.io_rq_tvalid)
        block.requested({pins.io_rq_tdata, pins.io_rq_tkeep, bool(pins.io_rq_tlast), {uint32_t(pins.io_rq_tuser)}});
    if (!reset && pins.io_npRequest)
        block.place();
    if (taken)
        block.accepted();
    block.tick();
    pins.io_userClk = 1;
    pins.eval();
    pins.io_userClk = 0;
    pins.eval();
}

void Card::edges() {
    for (unsigned i = 0; i < BLOCK_CYCLES; i++)
        edge(pins_, block_);
}

std::vector<uint8_t> Card::read(unsigned bar, uint64_t offset, size_t bytes) {
    if (!block_.reaches(bar, offset, bytes)) {
        all_.tell();
        return std::vector<uint8_t>(bytes, 0xFF);
    }
    all_.pass(READ_CYCLES);
    block_.read(bar, offset, bytes);
    while (!block_.idle()) // at the latest when all of it has timed out
        all_.pass(1);
    all_.tell();
    return block_.take();
}

void Card::write(unsigned bar, uint64_t offset, const uint8_t *data, size_t bytes) {
    if (block_.reaches(bar, offset, bytes)) {
        block_.write(bar, offset, data, bytes);
        all_.pass(bar == 0 ? READ_CYCLES : STORE_CYCLES);
    }
    all_.tell();
}

void Card::start() {
    const uint32_t held = 0;
    block_.write(0, HOST_SP_CONTROL, reinterpret_cast<const uint8_t *>(&held), sizeof held);
}

void Card::unplug() {
    while (!block_.idle())
        all_.pass(1);
    block_.disable();
    all_.tell();
}
