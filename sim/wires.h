/**
 * \file The wires of a cluster of cards (WIRE=): between each site and its router two Verilated ports of turnstile.link, and a LossyWire each way. Site and network
 * see links as without.
 */
#pragma once
#include "lossy_wire.h"
#include "network.h"
#include "options.h"

class VWirePair;

class Wires {
public:
    /** `sites` as Network takes them. */
    Wires(VerilatedContext *context, const Options &options, const std::vector<Network::Ends> &sites);
    ~Wires();

    /** The same links behind the wires, for Network. */
    std::vector<Network::Ends> behind() const;
    void reset(bool on);
    void before(unsigned part);
    void edge(unsigned part);
    void after(unsigned part);
    void trace(VerilatedFstC *file);

    /** All ports have found their peers: nothing a site sends is dropped. */
    bool up() const;
    /** No flit is between a site and its router. */
    bool idle() const;

    enum Counter : unsigned { GOOD, DAMAGED, STALE, NO_ROOM, REPEATED, AGAIN, DOWNS, DROPPED, CUT, COUNTERS };
    static const char *const names[COUNTERS];
    /** What the port at the site (0) or at the router (1) has counted. */
    std::array<uint32_t, COUNTERS> counters(unsigned site, unsigned end) const;
    /** From the site (0), to it (1). */
    const LossyWire &direction(unsigned site, unsigned end) const;

private:
    struct Card;
    std::vector<std::unique_ptr<Card>> cards_;
};
