/** \file
 * The fat tree of a cluster of two or more sites: instances of one Verilated Router, joined as FatTreePlan says (a router a row of
 * the file that turnstile.network.GenPlans writes). Cycle by cycle the same as the Verilated FatTree (tests/cluster/twin).
 */
#pragma once
#include "link.h"
#include <array>
#include <memory>
#include <vector>

class VRouter;
class VerilatedContext;
class VerilatedFstC;

class Network {
public:
    /** The network's ends at one site, pins that the site drives (`from`, of the flit; `to`, of the credit) and is driven at. */
    struct Ends {
        LinkPins from, to;
    };
    Network(VerilatedContext *context, const std::vector<Ends> &sites);
    ~Network();

    void reset(bool on);
    /** Before the clock edge: every link's outputs to the inputs at its other end. All come from registers. */
    void before();
    void edge();
    void after();
    void trace(VerilatedFstC *file);

    /** Inverts a bit of the payload of the n-th flit (from 1) that a site sends: a damaged wire. */
    void damage(unsigned site, uint64_t flit) { damaged_ = {site, flit}; }

    static constexpr unsigned PORTS = 4;
    size_t routers() const { return routers_.size(); }
    /** Damaged packets that a router counted on an input; the place is where FatTreePlan has the router. */
    unsigned crcErrors(size_t router, unsigned port) const;
    /** The site on a router's port, or -1. */
    int siteAt(size_t router, unsigned port) const { return routers_[router].site[port]; }
    /** Packets that came where a tree of this size has no site. */
    uint64_t unroutable() const { return unroutable_; }

private:
    struct Router {
        std::unique_ptr<VRouter> model;
        std::array<LinkPins, PORTS> from, to;
        std::array<int, PORTS> site;
        unsigned awake;
    };
    struct Wire {
        LinkPins from, to;
        unsigned *sender, *receiver; ///< what keeps them awake
    };
    /** Stands where a pruned tree has no site: takes what comes, as the RTL's LinkSink. */
    struct Sink {
        uint8_t valid = 0, last = 0, vc = 0, credit = 0;
        uint64_t data = 0;
        std::array<bool, 2> within{};
    };
    /** A router whose links were silent for so many cycles stands still, and is not evaluated: nothing in it takes longer than the
     * CRC check, three cycles. */
    static constexpr unsigned REST = 8;
    struct Damage {
        unsigned site = 0;
        uint64_t flit = 0;
    };

    std::vector<Router> routers_;
    std::vector<Wire> wires_; ///< first those from the sites, in their order
    std::vector<std::unique_ptr<Sink>> sinks_;
    Damage damaged_;
    uint64_t unroutable_ = 0;
    unsigned site_ = 0; ///< awake count of sites and sinks: nobody asks
};
