#include "axi_memory.h"
#include <algorithm>
#include <cstring>

unsigned AxiMemory::extra() {
    if (random_ == 0)
        return 0;
    random_ ^= random_ << 13; // xorshift64
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_ >> 20 & 7;
}

void AxiMemory::count(bool on) {
    counting_ = on;
    if (dram_)
        dram_->count(now_, on);
}

/* What the DRAM knows now. */
void AxiMemory::settle() {
    for (const Dram::Answer &a : dram_->decide(now_))
        if (a.write)
            std::find_if(done_.begin(), done_.end(), [](const Response &r) { return r.ready == LATER; })->ready = a.cycle;
        else
            std::find_if(reads_.begin(), reads_.end(), [&](const Burst &r) { return r.asked == a.tag; })->ready = a.cycle + extra();
}

/* The read whose beats come next, whole, to the front: the one that is ready first, of one id the oldest. */
void AxiMemory::choose() {
    auto first = reads_.end();
    uint16_t ids = 0;
    for (auto r = reads_.begin(); r != reads_.end(); ++r) {
        if (!(ids >> r->id & 1) && r->ready <= now_ && (first == reads_.end() || r->ready < first->ready))
            first = r;
        ids |= 1u << r->id;
    }
    if (first == reads_.end())
        return;
    std::rotate(reads_.begin(), first, first + 1);
    begun_ = true;
    Counts &c = counts_;
    const uint64_t latency = now_ - reads_.front().asked + 1;
    if (counting_)
        c.reads++, c.latency += latency, c.worst = std::max(c.worst, latency);
}

void AxiMemory::step() {
    if (dram_)
        settle();
    if (!begun_)
        choose();
    *pin_.arready = 1;
    *pin_.awready = 1;
    *pin_.wready = !writes_.empty();
    *pin_.rvalid = begun_;
    if (begun_) {
        const Burst &b = reads_.front();
        std::memcpy(pin_.rdata, &data_[b.address % data_.size()], 16);
        *pin_.rid = b.id;
        *pin_.rlast = b.beats == 1;
        *pin_.rresp = 0;
    }
    *pin_.bvalid = !done_.empty() && done_.front().ready <= now_;
    if (*pin_.bvalid) {
        *pin_.bid = done_.front().id;
        *pin_.bresp = 0;
    }
    // What both sides agree on at the edge that comes.
    if (begun_ && *pin_.rready) {
        Burst &b = reads_.front();
        b.address += 16;
        if (--b.beats == 0) {
            reads_.pop_front();
            begun_ = false;
        }
    }
    if (*pin_.bvalid && *pin_.bready)
        done_.pop_front();
    takeAddresses();
    if (*pin_.wvalid && *pin_.wready)
        takeData();
    busy_ = !reads_.empty() || !writes_.empty() || !done_.empty() || *pin_.rvalid || *pin_.bvalid;
}

/* They are always taken, as write data are: the site bounds what it has outstanding. */
void AxiMemory::takeAddresses() {
    if (*pin_.arvalid && *pin_.arready) {
        const uint32_t address = *pin_.araddr & ~15u;
        const unsigned beats = *pin_.arlen + 1;
        if (dram_)
            dram_->read(now_, address, 16 * beats, now_);
        else
            last_ = std::max(last_, now_ + latency_ - 1 + extra());
        reads_.push_back({address, *pin_.arid, uint8_t(beats), uint8_t(16 * beats), now_, dram_ ? LATER : last_, false});
        counts_.lineReads += counting_ && beats == 4;
    }
    if (*pin_.awvalid && *pin_.awready) {
        const bool line = *pin_.awlen == 3, lost = loseAfter_ && line && *pin_.awaddr % data_.size() >= lostBase_ && --loseAfter_ == 0;
        const unsigned beats = *pin_.awlen + 1;
        writes_.push_back({*pin_.awaddr & ~15u, *pin_.awid, uint8_t(beats), uint8_t(16 * beats), now_, now_, lost});
        counts_.lineWrites += counting_ && line;
    }
}

/* They are in memory at once: whoever reads them before the response asked for either. */
void AxiMemory::takeData() {
    Burst &b = writes_.front();
    const uint8_t *from = reinterpret_cast<const uint8_t *>(pin_.wdata);
    uint8_t *to = &data_[b.address % data_.size()];
    for (int i = 0; i < 16; i++)
        if (!b.lost && *pin_.wstrb >> i & 1)
            to[i] = from[i];
    b.address += 16;
    if (--b.beats)
        return;
    if (dram_)
        dram_->write(now_, b.address - b.bytes, b.bytes);
    done_.push_back({b.id, dram_ ? LATER : now_});
    writes_.pop_front();
}

void AxiMemory::state(Checkpoint &c) {
    std::string timing = dram_ ? dram_->timing() : "";
    const std::string mine = timing;
    uint64_t seed = seed_, random = random_;
    c(timing, seed, random, data_, now_, last_, busy_, begun_, counting_, reads_, writes_, done_, counts_);
    Checkpoint dram;
    if (dram_ && !c.loads())
        dram_->state(dram);
    std::string bytes = dram.bytes();
    c(bytes);
    if (!c.loads())
        return;
    if (seed == seed_)
        random_ = random;
    if (timing != mine)
        askAgain();
    else if (Checkpoint saved(bytes); dram_)
        dram_->state(saved);
}

void AxiMemory::askAgain() {
    for (Response &r : done_)
        r.ready = std::min(r.ready, now_ + 1);
    for (auto r = reads_.begin() + begun_; r != reads_.end(); ++r) {
        r->ready = dram_ ? LATER : last_ = std::max(last_, now_ + latency_);
        if (dram_)
            dram_->read(now_, r->address, r->bytes, r->asked);
    }
    if (dram_)
        dram_->count(now_, counting_);
}
