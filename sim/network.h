/** \file
 * The fat tree of a cluster of two or more sites: instances of one Verilated Router, joined as FatTreePlan says (a router a row of
 * the file that turnstile.network.GenPlans writes). Cycle by cycle the same as the Verilated FatTree (tests/cluster/twin).
 */
#pragma once
#include "checkpoint.h"
#include "link.h"
#include <array>
#include <memory>
#include <vector>

class VRouter;
class VerilatedContext;
class VerilatedFstC;

class Network {
public:
    /** The network's ends at one site, pins that the site drives (`from`, of the flit; `to`, of the credit) and is driven at; and the
     * part that the site is of. */
    struct Ends {
        LinkPins from, to;
        unsigned part;
    };
    /** Each of `parts` may be a thread's: parts touch nothing of each other in one cycle. */
    Network(VerilatedContext *context, const std::vector<Ends> &sites, unsigned parts);
    ~Network();

    void reset(bool on);
    /** Before the clock edge of a cycle: every link's outputs to the inputs at its other end. All come from registers. */
    void before(unsigned part, uint64_t cycle);
    void edge(unsigned part);
    void after(unsigned part);
    /** At the end of the cycle: what goes to other parts, for their next one. The first edge, before any cycle, counts as the end of one. */
    void publish(unsigned part, uint64_t cycle);
    /** Parts in different processes. pack: appends what `part` published for `other` and its cycle `cycle`. unpack: `part` takes what
     * `other` packed for it at the begin of `from`; returns how many bytes that was. */
    void pack(unsigned part, unsigned other, uint64_t cycle, std::vector<uint8_t> &to) const;
    size_t unpack(unsigned part, unsigned other, uint64_t cycle, const std::vector<uint8_t> &from);
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
    uint64_t unroutable() const;
    /** Between two cycles; of what lies between parts both have the other's pins. */
    void state(Checkpoint &c);

private:
    struct alignas(64) Router {
        std::unique_ptr<VRouter> model;
        std::array<LinkPins, PORTS> from, to;
        std::array<int, PORTS> site;
        unsigned awake;
    };
    /** One end of a wire: its pins, the part that evaluates them, and what keeps it awake (null: sites and sinks are always). */
    struct End {
        LinkPins pins;
        unsigned part;
        unsigned *awake;
    };
    struct Wire {
        End from, to;
    };
    /** Between parts a wire goes through this: what one writes in a cycle, by its number odd or even, the other reads in the next. */
    struct Crossing {
        Wire wire;
        struct alignas(64) Flit {
            uint8_t valid = 0, last = 0, vc = 0;
            uint64_t data = 0;
        } flit[2];
        struct alignas(64) Credit {
            uint8_t pulses = 0;
        } credit[2];
    };
    /** Stands where a pruned tree has no site: takes what comes, as the RTL's LinkSink. */
    struct Sink {
        uint8_t valid = 0, last = 0, vc = 0, credit = 0;
        uint64_t data = 0;
        std::array<bool, 2> within{};
        uint64_t unroutable = 0;
    };
    struct alignas(64) Part {
        std::vector<Router *> routers;
        std::vector<Sink *> sinks;
        std::vector<Wire> wires; ///< within the part
        std::vector<Crossing *> leaving, arriving;
    };
    /** A router whose links were silent for so many cycles stands still, and is not evaluated: nothing in it takes longer than the
     * CRC check, three cycles. */
    static constexpr unsigned REST = 8;
    struct Damage {
        unsigned site = 0;
        uint64_t flit = 0;
    };
    void join(const End &from, const End &to);
    static void wake(const End &end) {
        if (end.awake)
            *end.awake = REST;
    }

    std::vector<Router> routers_;
    std::vector<Part> parts_;
    std::vector<std::unique_ptr<Crossing>> crossings_;
    std::vector<std::unique_ptr<Sink>> sinks_;
    std::vector<End> entries_; ///< where the flits of each site arrive
    Damage damaged_;
};
