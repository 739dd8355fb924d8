/**
 * \file Random traffic into the simulator's memory, by the rules of AXI4 that the site lives by (docs/design/bus.md): every beat held until it is taken,
 * bursts whole, reads of one id in their order, responses in the order of writes and not before the last data, data as last written.
 *
 *     axi_traffic KIND|fixed SEED CYCLES
 *
 * Up to two reads an id and eight writes are under way; nobody asks for a line that is being written or read, as the Site Bus sees to it.
 */
#include "axi_memory.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>

namespace {
enum { LINES = 4096, IDS = 6 };
std::mt19937_64 random_;
unsigned draw(unsigned range) { return random_() % range; }

struct Wires {
    uint8_t arvalid = 0, arid = 0, arlen = 0, awvalid = 0, awid = 0, awlen = 0, wvalid = 0, wlast = 0, rready = 1, bready = 1;
    uint32_t araddr = 0, awaddr = 0, wdata[4] = {}, rdata[4] = {};
    uint16_t wstrb = 0xFFFF;
    uint8_t arready = 0, awready = 0, wready = 0, rvalid = 0, rid = 0, rlast = 0, rresp = 0, bvalid = 0, bid = 0, bresp = 0;
    AxiPins pins() {
        return {&arvalid, &arid, &arlen, &awvalid, &awid, &awlen, &wvalid, &wlast, &rready, &bready, &araddr, &awaddr, wdata, &wstrb,
                &arready, &awready, &wready, &rvalid, &rid, &rlast, &rresp, &bvalid, &bid, &bresp, rdata};
    }
};

struct Op {
    uint32_t line;
    unsigned beats, done;
};

[[noreturn]] void fail(const char *what, unsigned long long cycle) {
    std::printf("cycle %llu: %s\n", cycle, what);
    std::exit(1);
}
} // namespace

int main(int argc, char **argv) {
    const bool fixed = argc == 4 && !std::strcmp(argv[1], "fixed");
    const DramKind *kind = argc == 4 ? dramKind(argv[1]) : nullptr;
    if (!kind && !fixed)
        return std::fprintf(stderr, "axi_traffic KIND|fixed SEED CYCLES\n"), 2;
    random_.seed(std::atoll(argv[2]));
    AxiMemory memory(LINES * 64, 12, kind ? std::make_unique<Dram>(*kind, 100, 0) : nullptr, std::atoll(argv[2]));
    memory.count(true);
    Wires w;
    memory.connect(w.pins());
    std::vector<std::array<uint32_t, 16>> expected(LINES);
    std::map<unsigned, std::deque<Op>> reads;
    std::deque<Op> writes; // data to send or response to come
    size_t sending = 0;    // of writes: the first whose data are not all sent
    std::set<uint32_t> used;
    Wires last = w;
    unsigned long long read = 0, written = 0, overtaken = 0, order = 0;
    std::map<uint32_t, unsigned long long> asked;
    unsigned long long newest = 0;
    const unsigned long long cycles = std::atoll(argv[3]);
    for (unsigned long long cycle = 0; cycle < cycles; cycle++) {
        // The site's side, from registers.
        const bool pause = cycle / 500 % 3 == 2; // bursts of traffic, with rests longer than some refreshes
        uint32_t line = draw(4) ? draw(64) : draw(LINES);
        const unsigned beats = draw(4) ? 4 : 1;
        w.arvalid = !pause && draw(3) == 0 && !used.count(line);
        w.arid = 1 + draw(IDS), w.arlen = beats - 1, w.araddr = line * 64;
        if (w.arvalid && reads[w.arid].size() >= 2)
            w.arvalid = 0;
        if (w.arvalid)
            used.insert(line);
        line = draw(4) ? draw(64) : draw(LINES);
        w.awvalid = !pause && draw(4) == 0 && writes.size() < 8 && !used.count(line);
        w.awid = 0, w.awlen = (draw(4) ? 4 : 1) - 1, w.awaddr = line * 64;
        if (w.awvalid)
            used.insert(line);
        w.wvalid = sending < writes.size() && draw(4);
        if (w.wvalid)
            for (unsigned i = 0; i < 4; i++)
                w.wdata[i] = random_();
        w.rready = draw(4) != 0;
        w.bready = draw(4) != 0;
        memory.cycle();
        if (w.rvalid && last.rvalid && !last.rready && (w.rid != last.rid || w.rlast != last.rlast || std::memcmp(w.rdata, last.rdata, 16)))
            fail("a beat changed before it was taken", cycle);
        if (!w.rvalid && last.rvalid && !last.rready)
            fail("a beat was withdrawn", cycle);
        if (!w.bvalid && last.bvalid && !last.bready)
            fail("a response was withdrawn", cycle);
        if (w.rvalid && w.rready) {
            if (reads[w.rid].empty())
                fail("a beat that nobody asked for", cycle);
            Op &op = reads[w.rid].front();
            if (std::memcmp(w.rdata, &expected[op.line][4 * op.done], 16))
                fail("data are not what was written last, or another read's", cycle);
            if (w.rlast != (++op.done == op.beats))
                fail("the last beat is not marked, or another is", cycle);
            if (op.done == 1) {
                overtaken += asked[op.line] < newest;
                newest = std::max(newest, asked[op.line]);
            }
            if (w.rlast) {
                used.erase(op.line);
                reads[w.rid].pop_front();
                read++;
            }
        }
        if (w.bvalid && w.bready) {
            if (sending == 0 || w.bid != 0)
                fail("a response before the data, or of another id", cycle);
            used.erase(writes.front().line);
            writes.pop_front();
            sending--;
            written++;
        }
        if (w.arvalid && w.arready) {
            reads[w.arid].push_back({w.araddr / 64, w.arlen + 1u, 0});
            asked[w.araddr / 64] = ++order;
        } else if (w.arvalid) {
            used.erase(w.araddr / 64);
        }
        if (w.wvalid && w.wready) {
            Op &op = writes[sending];
            std::memcpy(&expected[op.line][4 * op.done], w.wdata, 16);
            sending += ++op.done == op.beats;
        }
        if (w.awvalid && w.awready)
            writes.push_back({w.awaddr / 64, w.awlen + 1u, 0});
        else if (w.awvalid)
            used.erase(w.awaddr / 64);
        last = w;
    }
    std::printf("%llu reads, %llu writes, %llu overtaken\n", read, written, overtaken);
}
