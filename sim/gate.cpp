#include "gate.h"

void Gate::comes() {
    credit_ = valid_ ? 1u << vc_ : 0;
    if (!valid_)
        return;
    std::vector<uint64_t> &flits = coming_[vc_];
    flits.push_back(data_);
    if (reader_.flit(0, vc_, data_, last_) != PacketReader::TAIL)
        return;
    const Packet &p = reader_.packet();
    if (holding && p.rxq <= SERVICE)
        held_[vc_ * sites_ + p.from].push_back({p, p.lines ? uint32_t(flits[1]) : 0, std::move(flits)});
    else
        going_[vc_].push_back(std::move(flits));
    flits.clear();
}

/* A flit a cycle, high before low, as a router does it. */
void Gate::goes() {
    for (unsigned vc = 0; vc < CHANNELS; vc++)
        credits_[vc] += *site_.credit >> vc & 1;
    *site_.valid = 0;
    for (unsigned vc = CHANNELS; vc-- > 0;) {
        if (going_[vc].empty() || !credits_[vc])
            continue;
        const std::vector<uint64_t> &flits = going_[vc].front();
        *site_.valid = 1;
        *site_.vc = vc;
        *site_.data = flits[gone_[vc]++];
        *site_.last = gone_[vc] == flits.size();
        credits_[vc]--;
        if (*site_.last) {
            going_[vc].pop_front();
            gone_[vc] = 0;
        }
        return;
    }
}

void Gate::cycle() {
    goes();
    comes();
}

bool Gate::idle() const {
    return !valid_ && coming_[0].empty() && coming_[1].empty() && going_[0].empty() && going_[1].empty();
}

void Gate::release(unsigned channel, unsigned from) {
    std::deque<Held> &queue = held_[channel * sites_ + from];
    going_[channel].push_back(std::move(queue.front().flits));
    queue.pop_front();
}
