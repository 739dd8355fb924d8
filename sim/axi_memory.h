/** \file DRAM of one site behind its AXI4 port, one beat a cycle each way: in order after a settable latency, or as a DRAM of a board answers. */
#pragma once
#include "dram.h"
#include "sparse.h"
#include <cstdint>
#include <deque>
#include <memory>

/** The wires of Site's AXI port, as pointers into the model, so that the memory needs not know the model's type. */
struct AxiPins {
    const uint8_t *arvalid, *arid, *arlen, *awvalid, *awid, *awlen, *wvalid, *wlast, *rready, *bready;
    const uint32_t *araddr, *awaddr;
    const uint32_t *wdata; ///< four words
    const uint16_t *wstrb;
    uint8_t *arready, *awready, *wready, *rvalid, *rid, *rlast, *rresp, *bvalid, *bid, *bresp;
    uint32_t *rdata; ///< four words
};

class AxiMemory {
public:
    /** Zeros, `bytes` of them. `dram`: that of a board, or null: each read takes `latency` cycles. `seed` not 0: each read takes 0 to 7 cycles more,
     * by a random sequence of that seed. */
    AxiMemory(uint64_t bytes, unsigned latency, std::unique_ptr<Dram> dram, uint64_t seed)
        : data_(bytes), latency_(latency), seed_(seed), random_(seed), dram_(std::move(dram)) {}

    void connect(const AxiPins &pins) { pin_ = pins; }
    /** One cycle, before its clock edge: drives the site's inputs, then takes what the edge will transfer. The site's valid and
     * ready outputs come from registers, so they stand already. */
    void cycle() {
        now_++;
        if (*pin_.arvalid | *pin_.awvalid | *pin_.wvalid | (uint8_t)busy_)
            step();
    }

    uint8_t *at(uint32_t offset) { return &data_[offset]; }
    uint64_t size() const { return data_.size(); }
    /** Nothing is under way. */
    bool idle() const { return !busy_; }
    /** The n-th line write (from 1) to an offset from `base` on is lost: a fault, for tests of the checks. */
    void lose(uint32_t base, uint64_t n) { lostBase_ = base, loseAfter_ = n; }

    void count(bool on);
    /** While it counts. Latency: cycles from a read's address to its first beat, both included. */
    struct Counts {
        uint64_t lineReads = 0, lineWrites = 0, reads = 0, latency = 0, worst = 0;
    };
    const Counts &counts() const { return counts_; }
    const Dram *dram() const { return dram_.get(); } ///< null: a latency
    /** What another rank's memory of the same kind has counted. */
    void learn(const Counts &counts, const Dram::Counts &dram) {
        counts_ = counts;
        if (dram_)
            dram_->learn(dram);
    }
    /** Into a memory of other times or seed, too: what is under way is asked for again. */
    void state(Checkpoint &c);

private:
    static constexpr uint64_t LATER = UINT64_MAX;
    struct Burst {
        uint32_t address;
        uint8_t id, beats, bytes; ///< beats that are left; bytes of all
        uint64_t asked, ready;    ///< cycles: of its address, of its first beat; LATER: not yet known
        bool lost;
    };
    struct Response {
        uint8_t id;
        uint64_t ready;
    };
    void step();
    void settle();
    void choose();
    void takeAddresses();
    void takeData();
    unsigned extra();
    void askAgain();

    AxiPins pin_{};
    Sparse<uint8_t> data_;
    unsigned latency_;
    uint64_t seed_, random_;
    std::unique_ptr<Dram> dram_;
    uint64_t now_ = 0, last_ = 0;   ///< last_: when the last read of a fixed latency was ready
    bool busy_ = true, begun_ = false, counting_ = false; ///< begun: the front of reads_ is offered
    uint32_t lostBase_ = 0;
    uint64_t loseAfter_ = 0;
    std::deque<Burst> reads_, writes_;
    std::deque<Response> done_;
    Counts counts_;
};
