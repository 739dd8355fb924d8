#include "network.h"
#include "VRouter.h"
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

Network::Network(VerilatedContext *context, const std::vector<Ends> &sites) {
    std::vector<const Plan *> plan;
    for (const Plan &p : plans)
        if (p.sites == sites.size())
            plan.push_back(&p);
    for (const Plan *p : plan) {
        Router r;
        r.model = std::make_unique<VRouter>(context, ("router" + std::to_string(routers_.size())).c_str());
        VRouter &m = *r.model;
        m.io_position_root = p->root;
        m.io_position_level = p->level;
        m.io_position_prefixMask = p->prefixMask;
        m.io_position_prefix = p->prefix;
        r.from = {LINK_PINS(m, io_from_0), LINK_PINS(m, io_from_1), LINK_PINS(m, io_from_2), LINK_PINS(m, io_from_3)};
        r.to = {LINK_PINS(m, io_to_0), LINK_PINS(m, io_to_1), LINK_PINS(m, io_to_2), LINK_PINS(m, io_to_3)};
        for (unsigned port = 0; port < PORTS; port++)
            *r.from[port].valid = *r.to[port].credit = 0; // a port that leads nowhere stays so
        r.site.fill(-1);
        r.awake = REST;
        routers_.push_back(std::move(r));
    }
    wires_.resize(sites.size());
    for (size_t i = 0; i < plan.size(); i++)
        for (unsigned port = 0; port < PORTS; port++) {
            Router &r = routers_[i];
            const Port &other = plan[i]->ports[port];
            if (other.kind == Port::SITE) {
                r.site[port] = other.number;
                wires_[other.number] = {sites[other.number].from, r.from[port], &site_, &r.awake};
                wires_.push_back({r.to[port], sites[other.number].to, &r.awake, &site_});
            } else if (other.kind == Port::ROUTER) {
                Router &o = routers_[other.number];
                wires_.push_back({r.to[port], o.from[other.port], &r.awake, &o.awake});
            } else {
                sinks_.push_back(std::make_unique<Sink>());
                Sink &s = *sinks_.back();
                wires_.push_back({r.to[port], {&s.valid, &s.last, &s.vc, &s.data, &s.credit}, &r.awake, &site_});
            }
        }
}

Network::~Network() = default;

void Network::reset(bool on) {
    for (Router &r : routers_) {
        r.model->reset = on;
        r.model->clk = 0;
        r.model->eval(); // so that the next edge is one
        r.awake = REST;
    }
}

void Network::before() {
    for (Wire &w : wires_) {
        if ((*w.to.valid = *w.from.valid)) {
            *w.to.data = *w.from.data;
            *w.to.last = *w.from.last;
            *w.to.vc = *w.from.vc;
            *w.sender = *w.receiver = REST;
        }
        if ((*w.from.credit = *w.to.credit))
            *w.sender = *w.receiver = REST;
    }
    if (damaged_.flit && *wires_[damaged_.site].to.valid && --damaged_.flit == 0)
        *wires_[damaged_.site].to.data ^= uint64_t(1) << 40;
}

void Network::edge() {
    for (Router &r : routers_)
        if (r.awake) {
            r.model->clk = 1;
            r.model->eval();
        }
    for (auto &s : sinks_) {
        s->credit = s->valid << s->vc;
        if (s->valid) {
            unroutable_ += !s->within[s->vc];
            s->within[s->vc] = !s->last;
        }
    }
}

void Network::after() {
    for (Router &r : routers_)
        if (r.awake) {
            r.model->clk = 0;
            r.model->eval();
            r.awake--;
        }
}

unsigned Network::crcErrors(size_t router, unsigned port) const {
    VRouter &m = *routers_[router].model;
    const uint16_t counts[PORTS] = {m.io_crcErrors_0, m.io_crcErrors_1, m.io_crcErrors_2, m.io_crcErrors_3};
    return counts[port];
}

void Network::trace([[maybe_unused]] VerilatedFstC *file) {
#if VM_TRACE
    for (Router &r : routers_)
        r.model->trace(file, 99);
#endif
}
