/** \file DRAM of one site behind its AXI4 port: in-order, settable latency, one beat a cycle each way. */
#pragma once
#include "sparse.h"
#include <cstdint>
#include <deque>

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
    /** Zeros, `bytes` of them. `seed` not 0: each read takes 0 to 7 cycles more, by a random sequence of that seed. */
    AxiMemory(uint64_t bytes, unsigned latency, uint64_t seed) : data_(bytes), latency_(latency), random_(seed) {}

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
    bool counting = false;
    uint64_t lineReads = 0, lineWrites = 0; ///< while counting

private:
    struct Burst {
        uint32_t address;
        uint8_t id, beats;
        uint64_t ready;
        bool lost;
    };
    void step();

    AxiPins pin_{};
    Sparse<uint8_t> data_;
    unsigned extra();
    unsigned latency_;
    uint64_t random_;
    uint64_t now_ = 0;
    bool busy_ = true;
    uint32_t lostBase_ = 0;
    uint64_t loseAfter_ = 0;
    std::deque<Burst> reads_, writes_;
    std::deque<uint8_t> done_;
};
