/**
 * \file Two ports of turnstile.link over wires that do anything to frames, fast: nothing of it is drawn or compared by Python.
 *
 *     wire_faults SEED FAULTS
 *
 * Both sites send random packets on both channels, at paces that change, until each kind of fault has happened FAULTS times, and take what comes at paces that
 * change. What was offered is kept apart and compared, flit by flit, with what comes: each once, in the order of its channel. Prints what happened; ends with 1, and
 * with a sentence, at the first flit that is another, or when what was offered does not come.
 */
#include "VWirePair.h"
#include "clock.h"
#include "link.h"
#include "lossy_wire.h"
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <verilated.h>

namespace {
enum : unsigned { CHANNELS = 2, BUFFER = 32, CYCLES = 20, RATE = 400000, SPAN = 2000, PATIENCE = 200000, LATE = 3000 };

struct Flit {
    uint64_t data;
    bool last;
};

std::mt19937_64 random_;
unsigned draw(unsigned range) { return random_() % range; }

/** A site's two links: what it sends, and what it should get. */
struct Station {
    LinkPins out, in; ///< into the port, out of it
    std::deque<Flit> offered[CHANNELS]; ///< of the other site, not yet here
    unsigned credits[CHANNELS] = {BUFFER, BUFFER}, held[CHANNELS] = {}, left[CHANNELS] = {}; ///< `left`: flits of the packet that was begun
    unsigned pace = 0, taking = 0; ///< of a thousand cycles
    uint64_t sent = 0, came = 0;
};

void send(Station &s, Station &other, bool more) {
    for (unsigned vc = 0; vc < CHANNELS; vc++)
        s.credits[vc] += *s.out.credit >> vc & 1;
    const unsigned vc = draw(CHANNELS);
    *s.out.valid = 0;
    if (!s.credits[vc] || draw(1000) >= s.pace || !(more || s.left[vc]))
        return;
    if (s.left[vc] == 0)
        s.left[vc] = draw(3) ? 2 : 2 + draw(29);
    const Flit flit = {random_(), --s.left[vc] == 0};
    *s.out.valid = 1;
    *s.out.vc = vc;
    *s.out.data = flit.data;
    *s.out.last = flit.last;
    s.credits[vc]--;
    s.sent++;
    other.offered[vc].push_back(flit);
}

/* False: what came is not what had to come. */
bool take(Station &s) {
    uint8_t credit = 0;
    for (unsigned vc = 0; vc < CHANNELS; vc++)
        if (s.held[vc] && draw(1000) < s.taking) {
            s.held[vc]--;
            credit |= 1 << vc;
        }
    if (*s.in.valid) {
        auto &queue = s.offered[*s.in.vc];
        if (queue.empty() || queue.front().data != *s.in.data || queue.front().last != *s.in.last || s.held[*s.in.vc] == BUFFER)
            return false;
        queue.pop_front();
        s.held[*s.in.vc]++;
        s.came++;
    }
    *s.in.credit = credit;
    return true;
}
} // namespace

int main(int argc, char **argv) {
    if (argc != 3)
        return std::fprintf(stderr, "wire_faults SEED FAULTS\n"), 2;
    const uint64_t seed = std::strtoull(argv[1], nullptr, 0), faults = std::strtoull(argv[2], nullptr, 0);
    random_.seed(seed);
    VerilatedContext context;
    VWirePair pair(&context, "pair");
    LossyWire wires[] = {{STREAM_FROM(pair, io_tx_0), STREAM_TO(pair, io_rx_1), CYCLES, RATE, seed + 1}, {STREAM_FROM(pair, io_tx_1), STREAM_TO(pair, io_rx_0), CYCLES, RATE, seed + 2}};
    Station sites[2];
    sites[0].out = LINK_PINS(pair, io_fromSite_0), sites[0].in = LINK_PINS(pair, io_toSite_0);
    sites[1].out = LINK_PINS(pair, io_fromSite_1), sites[1].in = LINK_PINS(pair, io_toSite_1);
    pair.io_address_0_own = pair.io_address_1_peer = 0x020000000001;
    pair.io_address_1_own = pair.io_address_0_peer = 0x020000000002;
    pair.io_seed_0 = random_() & 0xFFFF;
    pair.io_seed_1 = random_() & 0xFFFF;
    pair.io_silence = 255;
    pair.io_roundTrip = 2 * (CYCLES + LossyWire::BUFFER) + 250;
    pair.io_rx_0_tkeep = pair.io_rx_1_tkeep = 0xFF;
    clockStill(pair);
    for (unsigned on : {1, 1, 1, 1, 0}) {
        pair.reset = on;
        clockEdge(pair);
    }
    uint64_t cycle = 0, moved = 0, calm = 0;
    const auto ended = [&](const char *why) {
        std::printf("cycle %llu, SEED=%llu: %s\n", (unsigned long long)cycle, (unsigned long long)seed, why);
        return 1;
    };
    const auto counted = [&](unsigned fault) { return wires[0].counts()[fault] + wires[1].counts()[fault]; };
    for (bool up = false, more = true;; cycle++) {
        if (cycle % SPAN == 0)
            for (Station &s : sites)
                s.pace = draw(4) ? 40 + draw(200) : draw(1000), s.taking = draw(8) ? 1000 : draw(1000);
        for (LossyWire &wire : wires)
            wire.before();
        if (!up)
            up = pair.io_up == 3;
        if (up)
            for (unsigned n = 0; n < 2; n++)
                send(sites[n], sites[1 - n], more);
        const uint64_t before = sites[0].came + sites[1].came;
        for (Station &s : sites)
            if (!take(s))
                return ended("a flit that was not sent, came before or lost its place");
        if (sites[0].came + sites[1].came != before)
            moved = cycle;
        else if (cycle - moved > PATIENCE)
            return ended("what was sent does not come");
        clockEdge(pair);
        if (cycle % SPAN == 0) {
            more = false;
            for (unsigned fault = 0; fault < LossyWire::FAULTS; fault++)
                more |= counted(fault) < faults;
            more |= wires[0].passed() + wires[1].passed() < faults;
        }
        bool left = sites[0].left[0] || sites[0].left[1] || sites[1].left[0] || sites[1].left[1];
        for (const Station &s : sites)
            for (const auto &queue : s.offered)
                left |= !queue.empty();
        calm = more || left ? 0 : calm + 1;
        if (calm > LATE)
            break;
    }
    for (unsigned fault = 0; fault < LossyWire::FAULTS; fault++)
        std::printf("%-10s %llu\n", LossyWire::names[fault], (unsigned long long)counted(fault));
    std::printf("%-10s %llu\n%-10s %llu\n%-10s %llu\n%-10s %llu\n%-10s %llu\n", "passed", (unsigned long long)(wires[0].passed() + wires[1].passed()), "dropped", (unsigned long long)(wires[0].dropped() + wires[1].dropped()), "frames",
                (unsigned long long)(wires[0].frames() + wires[1].frames()), "flits", (unsigned long long)(sites[0].came + sites[1].came), "cycles", (unsigned long long)cycle);
    if (sites[0].came != sites[1].sent || sites[1].came != sites[0].sent)
        return ended("more or fewer flits came than were sent");
    if (pair.io_counters_0_downs | pair.io_counters_1_downs | pair.io_counters_0_dropped | pair.io_counters_1_dropped)
        return ended("the wire went down");
    return 0;
}
