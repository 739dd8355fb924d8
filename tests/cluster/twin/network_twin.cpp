/**
 * \file The simulator's network beside the Verilated FatTree: the same random traffic into both, every output compared in every cycle.
 *
 *     network_twin SEED CYCLES PARTS
 *
 * Traffic comes in bursts with silence between (routers at rest are not evaluated), with blocked receivers, damaged packets and
 * packets for sites that are not there. Prints what went through; ends with 1 at the first difference.
 */
#include "VFatTree.h"
#include "clock.h"
#include "network.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <verilated.h>
#include <zlib.h>

namespace {
enum { BUFFER = 32 };

struct Wires {
    uint8_t valid = 0, last = 0, vc = 0, credit = 0;
    uint64_t data = 0;
    LinkPins pins() { return {&valid, &last, &vc, &data, &credit}; }
};

struct Flit {
    uint64_t data;
    bool last;
};

/** A site that sends random packets and takes what comes at a random pace. */
struct Station {
    Wires from, to;
    std::deque<Flit> queue[2];
    unsigned credits[2] = {BUFFER, BUFFER}, held[2] = {0, 0};
    bool blocked = false;
};

std::mt19937_64 random_;
unsigned draw(unsigned range) { return random_() % range; }

void make(Station &s, unsigned self, unsigned destination, unsigned vc, bool damaged) {
    unsigned body = draw(3) ? 0 : draw(29);
    std::vector<uint64_t> flits(2 + body);
    for (uint64_t &f : flits)
        f = random_();
    flits[0] = destination | self << 6 | vc << 12 | uint64_t(body) << 39;
    uint32_t crc = crc32(0, reinterpret_cast<const Bytef *>(flits.data()), 8 * (1 + body) + 4);
    flits[1 + body] = (flits[1 + body] & 0xFFFFFFFF) | uint64_t(crc ^ damaged) << 32;
    for (size_t i = 0; i < flits.size(); i++)
        s.queue[vc].push_back({flits[i], i + 1 == flits.size()});
}
} // namespace

int main(int argc, char **argv) {
    if (argc != 4)
        return std::fprintf(stderr, "network_twin SEED CYCLES PARTS\n"), 2;
    random_.seed(std::strtoull(argv[1], nullptr, 0));
    const uint64_t cycles = std::strtoull(argv[2], nullptr, 0);
    const unsigned parts = std::strtoul(argv[3], nullptr, 0);
    VerilatedContext context;
    VFatTree tree(&context, "tree");
    std::vector<LinkPins> treeFrom, treeTo;
    std::vector<const uint16_t *> treeErrors;
#define SITE(i) treeFrom.push_back(LINK_PINS(tree, io_fromSite_##i)), treeTo.push_back(LINK_PINS(tree, io_toSite_##i));
#define ROUTER_INPUT(i) treeErrors.push_back(&tree.io_crcErrors_##i);
#include "fat_tree_ports.inc"
    std::vector<Station> stations(treeFrom.size());
    std::vector<Network::Ends> ends;
    for (Station &s : stations)
        ends.push_back({s.from.pins(), s.to.pins(), unsigned(ends.size() * parts / stations.size())});
    Network network(&context, ends, parts);
    clockStill(tree);

    uint64_t sent = 0, received = 0;
    for (uint64_t cycle = 0; cycle < cycles; cycle++) {
        const bool reset = cycle < 4, burst = cycle / 300 % 3 != 2;
        tree.reset = reset;
        if (reset || cycle == 4)
            network.reset(reset);
        for (size_t i = 0; i < stations.size() && !reset; i++) {
            Station &s = stations[i];
            if (burst && cycle > 8 && s.queue[0].size() + s.queue[1].size() < 60 && draw(4) == 0)
                make(s, i, draw(50) ? draw(stations.size()) : draw(64), draw(2), draw(40) == 0);
            if (draw(200) == 0)
                s.blocked = !s.blocked;
            for (unsigned vc = 0; vc < 2; vc++)
                s.credits[vc] += s.from.credit >> vc & 1;
            s.from.valid = 0;
            const unsigned vc = draw(2);
            if (!s.queue[vc].empty() && s.credits[vc] && draw(8)) {
                s.from = {1, s.queue[vc].front().last, uint8_t(vc), s.from.credit, s.queue[vc].front().data};
                s.queue[vc].pop_front();
                s.credits[vc]--;
                sent++;
            }
            if (s.to.valid)
                s.held[s.to.vc]++, received++;
            s.to.credit = 0;
            for (unsigned v = 0; v < 2; v++)
                if (s.held[v] && !s.blocked && draw(4))
                    s.held[v]--, s.to.credit |= 1 << v;
        }
        // Both networks see the stations' pins of before the edge; the tree's outputs are compared with what the network drives.
        for (size_t i = 0; i < stations.size(); i++) {
            Wires &from = stations[i].from;
            *treeFrom[i].valid = from.valid, *treeFrom[i].last = from.last, *treeFrom[i].vc = from.vc, *treeFrom[i].data = from.data;
            *treeTo[i].credit = stations[i].to.credit;
        }
        for (unsigned part = 0; part < parts; part++)
            network.publish(part, cycle - 1); // what stations drive from this cycle on
        for (unsigned part = 0; part < parts; part++)
            network.before(part, cycle);
        for (size_t i = 0; i < stations.size(); i++) {
            const Wires &from = stations[i].from, &to = stations[i].to;
            if (*treeFrom[i].credit != from.credit || *treeTo[i].valid != to.valid ||
                (to.valid && (*treeTo[i].data != to.data || *treeTo[i].last != to.last || *treeTo[i].vc != to.vc))) {
                std::printf("cycle %llu, site %zu: the tree drives flit %d %016llx credit %d, the network flit %d %016llx credit %d\n",
                            (unsigned long long)cycle, i, *treeTo[i].valid, (unsigned long long)*treeTo[i].data, *treeFrom[i].credit, to.valid,
                            (unsigned long long)to.data, from.credit);
                return 1;
            }
        }
        clockEdge(tree), clockFall(tree);
        for (unsigned part = 0; part < parts; part++)
            network.edge(part), network.after(part);
    }
    unsigned errors = 0;
    for (size_t i = 0; i < treeErrors.size(); i++) {
        const unsigned here = network.crcErrors(i / Network::PORTS, i % Network::PORTS);
        errors += here;
        if (here != *treeErrors[i]) {
            std::printf("router %zu input %zu: the tree counts %u damaged packets, the network %u\n", i / Network::PORTS, i % Network::PORTS,
                        *treeErrors[i], here);
            return 1;
        }
    }
    if (network.unroutable() != tree.io_unroutable) {
        std::printf("the tree counts %u packets for nobody, the network %llu\n", tree.io_unroutable, (unsigned long long)network.unroutable());
        return 1;
    }
    std::printf("sent %llu received %llu damaged %u unroutable %u\n", (unsigned long long)sent, (unsigned long long)received, errors,
                (unsigned)tree.io_unroutable);
    return 0;
}
