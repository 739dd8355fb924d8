#include "lossy_wire.h"
#include <algorithm>

const char *const LossyWire::names[FAULTS] = {"lost", "flipped", "repeated", "reordered", "delayed", "stopped"};

void LossyWire::before() {
    now_++;
    *from_.ready = pause_ == 0;
    if (pause_) {
        pause_--;
    } else if (*from_.valid) {
        coming_.beats.push_back(*from_.data);
        if (*from_.last) {
            pause_ = GAP;
            coming_.number = ++frames_;
            suffer(std::move(coming_));
            coming_ = {};
        }
    }
    *to_.valid = 0;
    if (at_ == leaving_.beats.size()) {
        if (quiet_ || stopped_) {
            quiet_ -= quiet_ != 0;
            stopped_ -= stopped_ != 0;
            return;
        }
        if (waiting_.empty() || waiting_.begin()->first > now_)
            return;
        leaving_ = std::move(waiting_.extract(waiting_.begin()).mapped());
        at_ = 0;
        passed_ += leaving_.number < latest_;
        latest_ = std::max(latest_, leaving_.number);
    }
    *to_.valid = 1;
    *to_.data = leaving_.beats[at_++];
    *to_.last = at_ == leaving_.beats.size();
    *to_.user = *to_.last && leaving_.damaged;
    if (*to_.last)
        quiet_ = GAP;
}

void LossyWire::suffer(Frame frame) {
    const auto draw = [&](unsigned range) { return random_() % range; };
    uint64_t later = 1;
    if (full()) {
        dropped_++;
        return;
    }
    if (rate_ && draw(1000000) < rate_) {
        const Fault fault = Fault(draw(FAULTS));
        counts_[fault]++;
        switch (fault) {
        case LOST: return;
        case FLIPPED:
            frame.beats[draw(frame.beats.size())] ^= uint64_t(1) << draw(64);
            frame.damaged = true;
            break;
        case REPEATED: put(later + draw(300), frame); break;
        case REORDERED: later += 20 + draw(40); break;
        case DELAYED: later += 100 + draw(1400); break;
        default: stopped_ += 1 + draw(100);
        }
    }
    put(later, std::move(frame));
}
