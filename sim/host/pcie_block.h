/**
 * \file The slot that the card is in: a model of AMD's UltraScale+ block (docs/reference/sources.md, PG213) and of the root complex above it.
 * A host's accesses become requests on the block's CQ stream; completions on its CC stream become answers, and what the card writes on RQ interrupts.
 */
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

/** A beat of CQ or CC: 64 bits, a bit of `keep` a dword. */
struct PcieBeat {
    uint64_t data;
    uint8_t keep;
    bool last;
    std::array<uint32_t, 3> user; ///< sideband of CQ
};

/** What the card wrote to the host: an interrupt. */
struct Interrupt {
    uint64_t address;
    uint32_t data;
};

class PcieBlock {
public:
    /** Bytes of BAR4, a power of two: the DRAM of the site. */
    explicit PcieBlock(uint64_t sharedBytes);

    /* ---- the host's side ---- */
    /** 1, 2 or 4 bytes; past the end all ones. What cannot be written stays. */
    uint32_t configRead(unsigned offset, unsigned bytes) const;
    void configWrite(unsigned offset, unsigned bytes, uint32_t value);
    /** The host is gone: no access reaches the card, and it interrupts nobody. */
    void disable();
    /** The BAR that is at an address, and the offset in it; 6: none is. */
    std::pair<unsigned, uint64_t> barAt(uint64_t address) const;
    /** Whether the host may reach these bytes: memory is enabled, and they are within the BAR. If not, why is in the log. */
    bool reaches(unsigned bar, uint64_t offset, size_t bytes);
    /** Posted: requests of at most the payload and the 4 KB that PCI Express allows. */
    void write(unsigned bar, uint64_t offset, const uint8_t *data, size_t bytes);
    /** Asks; `answered()`, then `take` gives the bytes in order. One read of the host at a time, of as many requests as it needs. */
    void read(unsigned bar, uint64_t offset, size_t bytes);
    bool answered() const { return asked_.empty() && waiting_.empty(); }
    /** What was read: all ones where the card answered with an error or not at all. */
    std::vector<uint8_t> take();
    /** Interrupts that have come since the last call. */
    std::vector<Interrupt> interrupts();

    /* ---- the card's side, a call a cycle of the block's clock ---- */
    /** The beat that is on CQ; null: none. A read waits until the card has said that it has a place. */
    const PcieBeat *offered();
    void accepted();
    void completion(const PcieBeat &beat);
    void requested(const PcieBeat &beat);
    /** cfg_interrupt_msix_enable and _mask of function 0. */
    bool msixEnabled() const;
    bool msixMasked() const;
    /** pcie_cq_np_req. */
    void place() { places_ += places_ < MOST_PLACES; }
    void tick();

    bool idle() const { return requests_.empty() && answered(); }
    /** A sentence for each thing that did not go as it should, since the last call. */
    std::vector<std::string> told();
    /** Cycles of the block's clock after which a read has no answer: 50 us at 250 MHz, the least that a root complex may wait. */
    static constexpr uint64_t TIMEOUT = 12500;

private:
    enum : unsigned { CONFIG_BYTES = 4096, TAGS = 32, MOST_PLACES = 32, REQUESTER = 0 };
    struct Request {
        std::vector<PcieBeat> beats;
        size_t sent = 0;
    };
    /** A read request. `bytes` are missing, the first of which is number `at` of what the host reads. */
    struct Asked {
        unsigned bar, tag;
        uint64_t offset;
        size_t at, bytes;
        uint64_t since = 0;
    };
    void say(const std::string &sentence);
    void put16(unsigned offset, uint16_t value, uint16_t writable = 0);
    void put32(unsigned offset, uint32_t value, uint32_t writable = 0);
    Request request(unsigned kind, unsigned bar, uint64_t offset, size_t bytes, unsigned tag) const;
    void finish(const std::vector<uint32_t> &words);
    void written(const std::vector<uint32_t> &words, unsigned enables);
    void give(Asked &read, size_t bytes, const uint8_t *data);
    uint64_t base(unsigned bar) const;
    uint16_t deviceControl() const { return config_[0x48] | config_[0x49] << 8; }

    std::array<uint8_t, CONFIG_BYTES> config_{}, writable_{};
    std::array<uint64_t, 6> bars_{};
    std::deque<Request> requests_;
    std::deque<Asked> asked_;          ///< no tag or no place yet
    std::map<unsigned, Asked> waiting_; ///< by tag
    std::vector<uint8_t> answer_;
    std::vector<uint32_t> packet_, request_;
    std::vector<Interrupt> interrupts_;
    std::vector<std::string> told_;
    unsigned places_ = 0, nextTag_ = 0;
    uint64_t now_ = 0;
};
