#include "axi_memory.h"
#include <cstring>

unsigned AxiMemory::extra() {
    if (random_ == 0)
        return 0;
    random_ ^= random_ << 13; // xorshift64
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_ >> 20 & 7;
}

void AxiMemory::step() {
    *pin_.arready = 1;
    *pin_.awready = 1;
    *pin_.wready = !writes_.empty();
    *pin_.rvalid = !reads_.empty() && reads_.front().ready <= now_;
    if (*pin_.rvalid) {
        const Burst &b = reads_.front();
        std::memcpy(pin_.rdata, &data_[b.address % data_.size()], 16);
        *pin_.rid = b.id;
        *pin_.rlast = b.beats == 1;
        *pin_.rresp = 0;
    }
    *pin_.bvalid = !done_.empty();
    if (*pin_.bvalid) {
        *pin_.bid = done_.front();
        *pin_.bresp = 0;
    }
    // What both sides agree on at the edge that comes.
    if (*pin_.rvalid && *pin_.rready) {
        Burst &b = reads_.front();
        b.address += 16;
        if (--b.beats == 0)
            reads_.pop_front();
    }
    if (*pin_.bvalid && *pin_.bready)
        done_.pop_front();
    // Addresses and write data are always taken: the site bounds what it has outstanding.
    if (*pin_.arvalid && *pin_.arready) {
        reads_.push_back({*pin_.araddr & ~15u, *pin_.arid, uint8_t(*pin_.arlen + 1), now_ + latency_ - 1 + extra(), false});
        lineReads += counting && *pin_.arlen == 3;
    }
    if (*pin_.awvalid && *pin_.awready) {
        const bool line = *pin_.awlen == 3, lost = loseAfter_ && line && *pin_.awaddr % data_.size() >= lostBase_ && --loseAfter_ == 0;
        writes_.push_back({*pin_.awaddr & ~15u, *pin_.awid, uint8_t(*pin_.awlen + 1), now_, lost});
        lineWrites += counting && line;
    }
    if (*pin_.wvalid && *pin_.wready) {
        Burst &b = writes_.front();
        const uint8_t *from = reinterpret_cast<const uint8_t *>(pin_.wdata);
        uint8_t *to = &data_[b.address % data_.size()];
        for (int i = 0; i < 16; i++)
            if (!b.lost && *pin_.wstrb >> i & 1)
                to[i] = from[i];
        b.address += 16;
        if (--b.beats == 0) {
            done_.push_back(b.id);
            writes_.pop_front();
        }
    }
    busy_ = !reads_.empty() || !writes_.empty() || !done_.empty() || *pin_.rvalid || *pin_.bvalid;
}
