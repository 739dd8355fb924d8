#include "wires.h"
#include "VWirePair.h"
#include "clock.h"
#include <algorithm>
#include <string>
#if VM_TRACE
#include <verilated_fst_c.h>
#endif

namespace {
/* Pins of the ports, in cycles: what a frame and the news of it take beside the wire; most that `roundTrip` holds; silence in units of 256. */
enum { FRAMES = 250, MOST = 16383, SILENCE = 255 };

/* One direction of a link, as Network has it: all are registers. */
void carry(const LinkPins &from, const LinkPins &to) {
    if ((*to.valid = *from.valid)) {
        *to.data = *from.data;
        *to.last = *from.last;
        *to.vc = *from.vc;
    }
    *from.credit = *to.credit;
}
} // namespace

const char *const Wires::names[COUNTERS] = {"good", "damaged", "stale", "no_room", "repeated", "again", "downs", "dropped", "cut"};

struct Wires::Card {
    VWirePair model;
    const Network::Ends site;
    LossyWire away, back;
    const LinkPins from, to, farFrom, farTo;
    uint64_t underWay = 0; ///< flits, in both directions

    Card(VerilatedContext *context, const std::string &name, const Network::Ends &site, const Options::Wire &wire, uint64_t seed)
        : model(context, name.c_str()), site(site),
          away(STREAM_FROM(model, io_tx_0), STREAM_TO(model, io_rx_1), wire.cycles, wire.faults, seed),
          back(STREAM_FROM(model, io_tx_1), STREAM_TO(model, io_rx_0), wire.cycles, wire.faults, seed + 1),
          from(LINK_PINS(model, io_fromSite_0)), to(LINK_PINS(model, io_toSite_0)), farFrom(LINK_PINS(model, io_fromSite_1)), farTo(LINK_PINS(model, io_toSite_1)) {
        model.io_address_0_own = model.io_address_1_peer = 0x020000000001;
        model.io_address_1_own = model.io_address_0_peer = 0x020000000002;
        model.io_seed_0 = seed & 0xFFFF;
        model.io_seed_1 = ~seed & 0xFFFF;
        model.io_silence = SILENCE;
        model.io_roundTrip = std::min<unsigned>(2 * wire.cycles + FRAMES, MOST);
        model.io_restart = 0;
        model.io_rx_0_tkeep = model.io_rx_1_tkeep = 0xFF;
        model.io_rx_0_tvalid = model.io_rx_1_tvalid = 0;
        clockStill(model);
    }
};

Wires::Wires(VerilatedContext *context, const Options &options, const std::vector<Network::Ends> &sites) {
    for (const Network::Ends &site : sites)
        cards_.push_back(std::make_unique<Card>(context, "wire" + std::to_string(cards_.size()), site, options.wire, options.wire.seed + 2 * cards_.size()));
}

Wires::~Wires() = default;

std::vector<Network::Ends> Wires::behind() const {
    std::vector<Network::Ends> ends;
    for (auto &c : cards_)
        ends.push_back({c->farTo, c->farFrom, c->site.part});
    return ends;
}

void Wires::reset(bool on) {
    for (auto &c : cards_)
        c->model.reset = on;
}

void Wires::before(unsigned part) {
    for (auto &c : cards_) {
        if (c->site.part != part)
            continue;
        c->underWay += *c->site.from.valid + *c->farFrom.valid;
        c->underWay -= *c->to.valid + *c->farTo.valid;
        carry(c->site.from, c->from);
        carry(c->to, c->site.to);
        c->away.before();
        c->back.before();
    }
}

void Wires::edge(unsigned part) {
    for (auto &c : cards_)
        if (c->site.part == part)
            clockEdge(c->model);
}

void Wires::after(unsigned part) {
    for (auto &c : cards_)
        if (c->site.part == part)
            clockFall(c->model);
}

bool Wires::up() const {
    return std::all_of(cards_.begin(), cards_.end(), [](auto &c) { return c->model.io_up == 3; });
}

bool Wires::idle() const {
    return std::all_of(cards_.begin(), cards_.end(), [](auto &c) { return c->underWay == 0; });
}

#define OF_END(n) \
    {m.io_counters_##n##_good, m.io_counters_##n##_damaged, m.io_counters_##n##_stale, m.io_counters_##n##_noRoom, m.io_counters_##n##_repeated, \
     m.io_counters_##n##_again, m.io_counters_##n##_downs, m.io_counters_##n##_dropped, m.io_counters_##n##_cut}
std::array<uint32_t, Wires::COUNTERS> Wires::counters(unsigned site, unsigned end) const {
    const VWirePair &m = cards_[site]->model;
    if (end == 0)
        return OF_END(0);
    return OF_END(1);
}
#undef OF_END

const LossyWire &Wires::direction(unsigned site, unsigned end) const { return end == 0 ? cards_[site]->away : cards_[site]->back; }

void Wires::trace([[maybe_unused]] VerilatedFstC *file) {
#if VM_TRACE
    for (auto &c : cards_)
        c->model.trace(file, 99);
#endif
}
