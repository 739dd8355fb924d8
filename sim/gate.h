/** \file Between the network and a site of a conducted run: what comes for its sP waits here until they are let in. */
#pragma once
#include "link.h"
#include "packet.h"
#include <array>
#include <deque>
#include <vector>

/** Takes every flit at once, so that nothing waits in the network; hands a site what its credits allow. A packet takes a cycle more a flit. */
class Gate {
public:
    enum : unsigned { CHANNELS = 2, SERVICE = 1 }; ///< SERVICE: the queue of an sP that programs call (contract §8)
    struct Held {
        Packet packet;
        uint32_t first = 0; ///< word of its data
        std::vector<uint64_t> flits;
    };

    Gate(LinkPins site, unsigned sites) : site_(site), held_(CHANNELS * sites), sites_(sites) {}
    /** What the network drives in the place of the site's pins. */
    LinkPins entry() { return {&valid_, &last_, &vc_, &data_, &credit_}; }
    /** Before the clock edge, behind the network's turn. */
    void cycle();
    /** No packet is half here, or on its way in. */
    bool idle() const;

    bool holding = false; ///< what sPs get of others, messages and calls; the rest goes through
    const std::deque<Held> &held(unsigned channel, unsigned from) const { return held_[channel * sites_ + from]; }
    /** Lets the oldest of a channel and a sender in. */
    void release(unsigned channel, unsigned from);

private:
    void comes();
    void goes();

    LinkPins site_;
    uint8_t valid_ = 0, last_ = 0, vc_ = 0, credit_ = 0;
    uint64_t data_ = 0;
    PacketReader reader_;
    std::array<std::vector<uint64_t>, CHANNELS> coming_;
    std::array<std::deque<std::vector<uint64_t>>, CHANNELS> going_;
    std::array<size_t, CHANNELS> gone_{};                              ///< flits of the first of going_
    std::array<unsigned, CHANNELS> credits_{BUFFER_FLITS, BUFFER_FLITS};
    std::vector<std::deque<Held>> held_;
    unsigned sites_;
    enum : unsigned { BUFFER_FLITS = 32 }; ///< NetworkParams.bufferFlits
};
