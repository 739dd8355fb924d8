/* The slot's model of AMD's block (sim/host/pcie_block) against a card that only keeps bytes: each test is an argument, its number of
 * broken checks the exit status. */
#include "pcie_block.h"
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>

namespace {
enum : unsigned { CARD_BYTES = 1 << 16, SHARED = 4, CONTROL = 0, UNSUPPORTED = 1 };
int broken;

void check(bool holds, const char *what, int line) {
    if (!holds) {
        broken++;
        std::printf("block_test.cpp:%d: not so: %s\n", line, what);
    }
}
#define CHECK(what) check((what), #what, __LINE__)

struct Asked {
    uint64_t address;
    unsigned dwords, kind, tag, bar, first, last;
};

/** Takes requests off CQ, by the layout of the descriptor in PG213. */
struct Card {
    explicit Card(PcieBlock &b) : block(b), bytes(CARD_BYTES) {}
    PcieBlock &block;
    std::vector<uint8_t> bytes;
    std::vector<Asked> reads, all;
    std::vector<PcieBeat> packet;

    static std::vector<uint32_t> words(const std::vector<PcieBeat> &beats) {
        std::vector<uint32_t> w;
        for (const PcieBeat &b : beats) {
            w.push_back(uint32_t(b.data));
            if (b.keep & 2)
                w.push_back(uint32_t(b.data >> 32));
        }
        return w;
    }
    void drain() {
        while (const PcieBeat *beat = block.offered()) {
            packet.push_back(*beat);
            const bool last = beat->last;
            block.accepted();
            if (last)
                request();
        }
    }
    void request() {
        const std::vector<uint32_t> w = words(packet);
        const Asked a = {uint64_t(w[1]) << 32 | (w[0] & ~3u), w[2] & 0x7FF, w[2] >> 11 & 15, w[3] & 0xFF, w[3] >> 16 & 7, packet[0].user[0] & 15, packet[0].user[0] >> 4 & 15};
        packet.clear();
        all.push_back(a);
        CHECK(a.address % 4096 + 4 * a.dwords <= 4096);
        CHECK(a.dwords == 1 ? a.last == 0 : a.last != 0);
        if (a.kind == 0) {
            CHECK(w.size() == 4);
            return reads.push_back(a);
        }
        CHECK(a.kind == 1 && w.size() == 4 + a.dwords && a.dwords <= 32);
        for (unsigned i = 0; i < a.dwords; i++) {
            const unsigned enables = i == 0 ? a.first : i + 1 == a.dwords ? a.last : 15;
            for (unsigned lane = 0; lane < 4; lane++)
                if (enables >> lane & 1)
                    bytes[(a.address + 4 * i + lane) % CARD_BYTES] = w[4 + i] >> 8 * lane;
        }
    }
    /** Completes up to `most` bytes of a read, which gets shorter; true: all of it. */
    bool complete(Asked &a, unsigned most, unsigned status = 0, unsigned wrong = 0) {
        unsigned skipped = 0, end = 4 * a.dwords;
        while (a.dwords && !(a.first >> skipped & 1)) skipped++;
        const unsigned mask = a.dwords == 1 ? a.first : a.last;
        for (unsigned lane = 4; lane-- && !(mask >> lane & 1);) end--;
        const uint64_t from = a.address + skipped, to = std::min(a.address + end, status ? ~uint64_t(0) : (from / most + 1) * most);
        const unsigned dwords = status ? 0 : (to + 3) / 4 - from / 4;
        std::vector<uint32_t> w = {uint32_t(from & 127) | uint32_t(a.address + end - from + wrong) << 16, dwords | status << 11, a.tag};
        for (unsigned i = 0; i < (status ? 5 : dwords); i++) {
            uint32_t word = 0;
            std::memcpy(&word, &bytes[(a.address + 4 * i) % CARD_BYTES], 4);
            w.push_back(word);
        }
        for (size_t i = 0; i < w.size(); i += 2) {
            const bool pair = i + 1 < w.size();
            block.completion({w[i] | uint64_t(pair ? w[i + 1] : 0) << 32, uint8_t(pair ? 3 : 1), i + 2 >= w.size(), {}});
        }
        a.address = to & ~uint64_t(3), a.dwords -= std::min(a.dwords, dwords);
        a.first = 15;
        if (a.dwords == 1)
            a.first = mask, a.last = 0;
        return status || to == a.address + 4 * a.dwords || a.dwords == 0;
    }
};

struct Slot {
    PcieBlock block{CARD_BYTES};
    Card card{block};
    Slot() {
        block.configWrite(0x20, 4, 0x31000000); // BAR4, its lower half
        block.configWrite(0x24, 4, 0x00000080);
        block.configWrite(0x10, 4, 0xC0FFE000);
        block.configWrite(4, 2, 2);
        for (unsigned i = 0; i < 32; i++)
            block.place();
    }
};

void the_host_finds_three_bars() {
    PcieBlock block(CARD_BYTES);
    CHECK(block.configRead(0, 4) == 0x745310EEu && block.configRead(4096, 4) == ~0u);
    const struct { unsigned offset; uint32_t size; } bars[] = {{0x10, ~8191u}, {0x14, 0}, {0x18, ~((8u << 20) - 1)}, {0x1C, 0}, {0x20, ~(CARD_BYTES - 1u) | 0xC}, {0x24, ~0u}};
    for (const auto &b : bars) {
        block.configWrite(b.offset, 4, ~0u);
        CHECK(block.configRead(b.offset, 4) == b.size);
    }
    block.configWrite(0, 4, 0x12345678);
    CHECK(block.configRead(0, 2) == 0x10EE);
    CHECK(!block.reaches(CONTROL, 0, 4)); // memory is not enabled
    block.configWrite(4, 2, 2);
    CHECK(block.reaches(CONTROL, 8188, 4) && !block.reaches(CONTROL, 8189, 4) && !block.reaches(1, 0, 4) && !block.reaches(6, 0, 4));
    CHECK(!block.reaches(CONTROL, ~uint64_t(0) - 1, 4));
    const struct { unsigned offset; uint32_t value; } places[] = {{0x10, 0xF1800000}, {0x18, 0xF1000000}, {0x20, 0xF0000000}, {0x24, 1}};
    for (const auto &p : places)
        block.configWrite(p.offset, 4, p.value);
    const auto at = [&](uint64_t address, unsigned bar, uint64_t offset) { return block.barAt(address) == std::make_pair(bar, offset); };
    CHECK(at(0xF1801FFF, CONTROL, 0x1FFF) && at(0xF1800000, CONTROL, 0) && at(0xF17FFFFF, 2, 0x7FFFFF) && at(0x1F0000004, SHARED, 4));
    CHECK(block.barAt(0xF1802000).first == 6 && block.barAt(0xF0000004).first == 6 && block.barAt(~uint64_t(0)).first == 6);
    CHECK(block.told().size() == 5);
}

void any_store_and_load_arrives(unsigned seed) {
    std::printf("SEED=%u\n", seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return random() % n; };
    Slot s;
    std::vector<uint8_t> model(CARD_BYTES);
    for (unsigned n = 0; n < 3000; n++) {
        const size_t at = below(CARD_BYTES - 3000), bytes = 1 + below(below(4) ? 16 : 3000);
        if (below(2)) {
            for (size_t i = 0; i < bytes; i++)
                model[at + i] = random();
            s.block.write(SHARED, at, &model[at], bytes);
            continue;
        }
        s.block.read(SHARED, at, bytes);
        s.card.drain();
        while (!s.block.answered()) { // in any order, in any legal part
            CHECK(!s.card.reads.empty());
            const size_t which = below(s.card.reads.size());
            if (s.card.complete(s.card.reads[which], 128u << below(3)))
                s.card.reads.erase(s.card.reads.begin() + which);
            s.block.place();
            s.card.drain();
        }
        CHECK(s.block.take() == std::vector<uint8_t>(&model[at], &model[at] + bytes));
    }
    s.card.drain();
    CHECK(s.block.idle() && s.card.bytes == model);
    for (const std::string &sentence : s.block.told())
        check(false, sentence.c_str(), __LINE__);
    CHECK(s.card.all[0].address >> 32 == 0x80 && s.card.all[0].bar == SHARED);
}

void an_error_reads_as_ones() {
    for (unsigned status : {1u, 4u}) {
        Slot s;
        s.block.read(SHARED, 10, 4);
        s.card.drain();
        s.card.complete(s.card.reads[0], 128, status);
        CHECK(s.block.answered() && s.block.take() == std::vector<uint8_t>(4, 0xFF));
        CHECK(s.block.told().size() == 1);
    }
}

void no_answer_reads_as_ones_and_a_late_one_is_no_other_reads() {
    Slot s;
    s.card.bytes.assign(CARD_BYTES, 0x11);
    s.block.read(SHARED, 0, 4);
    s.card.drain();
    for (uint64_t i = 0; i <= PcieBlock::TIMEOUT; i++) {
        CHECK(!s.block.answered());
        s.block.tick();
    }
    CHECK(s.block.answered() && s.block.take() == std::vector<uint8_t>(4, 0xFF));
    CHECK(s.block.told().size() == 1);
    s.block.read(SHARED, 8, 4);
    s.card.drain();
    s.card.complete(s.card.reads[0], 128); // of the first
    CHECK(!s.block.answered() && s.block.told().size() == 1);
    s.card.complete(s.card.reads[1], 128);
    CHECK(s.block.answered() && s.block.take() == std::vector<uint8_t>(4, 0x11) && s.block.told().empty());
}

void a_completion_of_other_length_is_told() {
    Slot s;
    s.block.read(SHARED, 0, 8);
    s.card.drain();
    s.card.complete(s.card.reads[0], 128, 0, 4);
    CHECK(s.block.answered() && s.block.take() == std::vector<uint8_t>(8, 0xFF) && s.block.told().size() == 1);
}

void a_read_without_a_place_waits_and_stops_no_store() {
    PcieBlock block(CARD_BYTES);
    Card card(block);
    const uint8_t byte = 7;
    block.configWrite(4, 2, 2);
    block.read(SHARED, 0, 4);
    block.write(SHARED, 5, &byte, 1);
    card.drain();
    CHECK(card.reads.empty() && card.bytes[5] == 7 && !block.idle());
    block.place();
    card.drain();
    CHECK(card.reads.size() == 1);
}
/** What the card writes on RQ, a beat of 64 bits each. */
void writes(PcieBlock &block, const std::vector<uint32_t> &words, uint32_t enables = 0xF) {
    for (size_t i = 0; i < words.size(); i += 2) {
        const bool pair = i + 1 < words.size();
        block.requested({words[i] | uint64_t(pair ? words[i + 1] : 0) << 32, uint8_t(pair ? 3 : 1), i + 2 >= words.size(), {enables}});
    }
}

void an_interrupt_is_a_write_of_a_dword() {
    const std::vector<uint32_t> good = {0xFEE00000, 1, 1 | 1 << 11, 0, 0x4321};
    PcieBlock block(CARD_BYTES);
    unsigned at = block.configRead(0x34, 1);
    while (at && block.configRead(at, 1) != 0x11)
        at = block.configRead(at + 1, 1);
    CHECK(at && (block.configRead(at + 2, 2) & 0x7FF) == 7 && block.configRead(at + 4, 4) == 0x1000 && block.configRead(at + 8, 4) == 0x1800);
    CHECK(!block.msixEnabled() && !block.msixMasked());
    block.configWrite(at + 2, 2, 0xFFFF);
    CHECK(block.msixEnabled() && block.msixMasked() && block.configRead(at + 2, 2) == 0xC007);
    writes(block, good); // it is no bus master
    CHECK(block.interrupts().empty() && block.told().size() == 1);
    block.configWrite(4, 2, 6);
    for (std::vector<uint32_t> bad : std::vector<std::vector<uint32_t>>{{0, 0, 1, 0}, {0, 0, 2 | 1 << 11, 0, 1, 2}, {0, 0, 1, 0, 5}, {1, 0, 1 | 1 << 11, 0, 5}, {0, 0}}) {
        writes(block, bad);
        CHECK(block.interrupts().empty() && block.told().size() == 1);
    }
    writes(block, good, 7);
    CHECK(block.interrupts().empty() && block.told().size() == 1);
    writes(block, good);
    const std::vector<Interrupt> came = block.interrupts();
    CHECK(came.size() == 1 && came[0].address == 0x1FEE00000 && came[0].data == 0x4321 && block.told().empty() && block.interrupts().empty());
}
} // namespace

int main(int argc, char **argv) {
    const std::string which = argc > 1 ? argv[1] : "";
    if (which == "random")
        any_store_and_load_arrives(std::stoul(argv[2]));
    else if (which == "bars")
        the_host_finds_three_bars();
    else if (which == "errors")
        an_error_reads_as_ones(), a_completion_of_other_length_is_told();
    else if (which == "late")
        no_answer_reads_as_ones_and_a_late_one_is_no_other_reads();
    else if (which == "places")
        a_read_without_a_place_waits_and_stops_no_store();
    else if (which == "interrupts")
        an_interrupt_is_a_write_of_a_dword();
    else
        check(false, "a test of this name", __LINE__);
    return broken > 0;
}
