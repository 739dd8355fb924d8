#include "network.h"
#include "VRouter.h"
#include "clock.h"
#include <algorithm>
#include <cstring>
#include <string>
#if VM_TRACE
#include <verilated_fst_c.h>
#endif

namespace {
struct Port {
    enum { SITE, ROUTER, ABSENT } kind;
    unsigned number, port;
};
struct Plan {
    unsigned sites, root, level, prefixMask, prefix;
    Port ports[Network::PORTS];
};
#define SITE(number) {Port::SITE, number, 0}
#define ROUTER(number, port) {Port::ROUTER, number, port}
#define ABSENT {Port::ABSENT, 0, 0}
const Plan plans[] = {
#include "fat_tree_plans.inc"
};
#undef SITE
#undef ROUTER
#undef ABSENT
} // namespace

Network::Network(VerilatedContext *context, const std::vector<Ends> &sites, unsigned parts) : parts_(parts), entries_(sites.size()) {
    std::vector<const Plan *> plan;
    for (const Plan &p : plans)
        if (p.sites == sites.size())
            plan.push_back(&p);
    routers_.resize(plan.size());
    std::vector<unsigned> part(plan.size());
    for (size_t i = 0; i < plan.size(); i++) {
        const Plan &p = *plan[i];
        Router &r = routers_[i];
        r.model = std::make_unique<VRouter>(context, ("router" + std::to_string(i)).c_str());
        VRouter &m = *r.model;
        m.io_position_root = p.root;
        m.io_position_level = p.level;
        m.io_position_prefixMask = p.prefixMask;
        m.io_position_prefix = p.prefix;
        r.from = {LINK_PINS(m, io_from_0), LINK_PINS(m, io_from_1), LINK_PINS(m, io_from_2), LINK_PINS(m, io_from_3)};
        r.to = {LINK_PINS(m, io_to_0), LINK_PINS(m, io_to_1), LINK_PINS(m, io_to_2), LINK_PINS(m, io_to_3)};
        for (unsigned port = 0; port < PORTS; port++)
            *r.from[port].valid = *r.to[port].credit = 0; // a port that leads nowhere stays so
        r.site.fill(-1);
        clockStill(m);
        // Parts share the routers of each level, which stand in the order of the sites below them.
        const auto same = [&](const Plan *other) { return other->level == p.level; };
        const size_t before = std::count_if(plan.begin(), plan.begin() + i, same), all = std::count_if(plan.begin(), plan.end(), same);
        part[i] = before * parts / all;
        parts_[part[i]].routers.push_back(&r);
    }
    for (size_t i = 0; i < plan.size(); i++)
        for (unsigned port = 0; port < PORTS; port++) {
            Router &r = routers_[i];
            const Port &other = plan[i]->ports[port];
            const End in{r.from[port], part[i], &r.awake}, out{r.to[port], part[i], &r.awake};
            if (other.kind == Port::SITE) {
                const Ends &site = sites[other.number];
                r.site[port] = other.number;
                entries_[other.number] = in;
                join({site.from, site.part, nullptr}, in);
                join(out, {site.to, site.part, nullptr});
            } else if (other.kind == Port::ROUTER) {
                Router &o = routers_[other.number];
                join(out, {o.from[other.port], part[other.number], &o.awake});
            } else {
                sinks_.push_back(std::make_unique<Sink>());
                Sink &s = *sinks_.back();
                parts_[part[i]].sinks.push_back(&s);
                join(out, {{&s.valid, &s.last, &s.vc, &s.data, &s.credit}, part[i], nullptr});
            }
        }
}

Network::~Network() = default;

void Network::join(const End &from, const End &to) {
    if (from.part == to.part) {
        parts_[from.part].wires.push_back({from, to});
        return;
    }
    crossings_.push_back(std::make_unique<Crossing>());
    crossings_.back()->wire = {from, to};
    parts_[from.part].leaving.push_back(crossings_.back().get());
    parts_[to.part].arriving.push_back(crossings_.back().get());
}

void Network::reset(bool on) {
    for (Router &r : routers_) {
        r.model->reset = on;
        r.awake = REST;
    }
}

void Network::before(unsigned part, uint64_t cycle) {
    Part &p = parts_[part];
    for (const Wire &w : p.wires) {
        if ((*w.to.pins.valid = *w.from.pins.valid)) {
            *w.to.pins.data = *w.from.pins.data;
            *w.to.pins.last = *w.from.pins.last;
            *w.to.pins.vc = *w.from.pins.vc;
            wake(w.from), wake(w.to);
        }
        if ((*w.from.pins.credit = *w.to.pins.credit))
            wake(w.from), wake(w.to);
    }
    // Of a crossing each part sees both directions of its own end, and wakes that.
    for (const Crossing *c : p.arriving) {
        const End &to = c->wire.to;
        const Crossing::Flit &flit = c->flit[cycle & 1];
        if ((*to.pins.valid = flit.valid)) {
            *to.pins.data = flit.data;
            *to.pins.last = flit.last;
            *to.pins.vc = flit.vc;
        }
        if (flit.valid | *to.pins.credit)
            wake(to);
    }
    for (const Crossing *c : p.leaving) {
        const End &from = c->wire.from;
        if ((*from.pins.credit = c->credit[cycle & 1].pulses) | *from.pins.valid)
            wake(from);
    }
    if (const End &entry = entries_[damaged_.site]; entry.part == part && damaged_.flit && *entry.pins.valid && --damaged_.flit == 0)
        *entry.pins.data ^= uint64_t(1) << 40;
}

void Network::publish(unsigned part, uint64_t cycle) {
    const unsigned next = (cycle + 1) & 1;
    for (Crossing *c : parts_[part].leaving) {
        const LinkPins &from = c->wire.from.pins;
        c->flit[next] = {*from.valid, *from.last, *from.vc, *from.data};
    }
    for (Crossing *c : parts_[part].arriving)
        c->credit[next].pulses = *c->wire.to.pins.credit;
}

namespace {
/* A flit or credit pulses of the crossing of this number; most are silent. */
struct Passing {
    uint16_t crossing;
    uint8_t credit, last, vc; ///< credit pulses; 0: a flit
    uint64_t data;
};
} // namespace

void Network::pack(unsigned part, unsigned other, uint64_t cycle, std::vector<uint8_t> &to) const {
    const size_t begin = to.size();
    uint16_t count = 0;
    to.resize(begin + sizeof count);
    const auto put = [&](const Passing &p) {
        const uint8_t *const first = reinterpret_cast<const uint8_t *>(&p);
        to.insert(to.end(), first, first + sizeof p);
        count++;
    };
    for (uint16_t i = 0; i < crossings_.size(); i++) {
        const Crossing &c = *crossings_[i];
        const Crossing::Flit &flit = c.flit[cycle & 1];
        const uint8_t pulses = c.credit[cycle & 1].pulses;
        if (c.wire.from.part == part && c.wire.to.part == other && flit.valid)
            put({i, 0, flit.last, flit.vc, flit.data});
        if (c.wire.to.part == part && c.wire.from.part == other && pulses)
            put({i, pulses, 0, 0, 0});
    }
    std::memcpy(&to[begin], &count, sizeof count);
}

size_t Network::unpack(unsigned part, unsigned other, uint64_t cycle, const std::vector<uint8_t> &from) {
    for (Crossing *c : parts_[part].arriving)
        if (c->wire.from.part == other)
            c->flit[cycle & 1].valid = 0;
    for (Crossing *c : parts_[part].leaving)
        if (c->wire.to.part == other)
            c->credit[cycle & 1].pulses = 0;
    uint16_t count;
    std::memcpy(&count, from.data(), sizeof count);
    size_t at = sizeof count;
    for (; count; count--, at += sizeof(Passing)) {
        Passing p;
        std::memcpy(&p, &from[at], sizeof p);
        Crossing &c = *crossings_[p.crossing];
        if (p.credit)
            c.credit[cycle & 1].pulses = p.credit;
        else
            c.flit[cycle & 1] = {1, p.last, p.vc, p.data};
    }
    return at;
}

void Network::edge(unsigned part) {
    for (Router *r : parts_[part].routers)
        if (r->awake)
            clockEdge(*r->model);
    for (Sink *s : parts_[part].sinks) {
        s->credit = s->valid << s->vc;
        if (s->valid) {
            s->unroutable += !s->within[s->vc];
            s->within[s->vc] = !s->last;
        }
    }
}

void Network::after(unsigned part) {
    for (Router *r : parts_[part].routers)
        if (r->awake) {
            clockFall(*r->model);
            r->awake--;
        }
}

uint64_t Network::unroutable() const {
    uint64_t sum = 0;
    for (auto &s : sinks_)
        sum += s->unroutable;
    return sum;
}

unsigned Network::crcErrors(size_t router, unsigned port) const {
    VRouter &m = *routers_[router].model;
    const uint16_t counts[PORTS] = {m.io_crcErrors_0, m.io_crcErrors_1, m.io_crcErrors_2, m.io_crcErrors_3};
    return counts[port];
}

void Network::state(Checkpoint &c) {
    for (Router &r : routers_) {
        c.model(*r.model);
        c(r.awake);
    }
    for (auto &sink : sinks_)
        c(*sink);
}

void Network::trace([[maybe_unused]] VerilatedFstC *file) {
#if VM_TRACE
    for (Router &r : routers_)
        r.model->trace(file, 99);
#endif
}
