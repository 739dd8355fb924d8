/**
 * \file One direction of a wire between two ports of turnstile.link: the MACs, cables and a switch that may do anything to a frame. What is drawn
 * is drawn by a seed alone, so that a run can be repeated.
 */
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

/** Pins of an AXI-Stream of 64 bits of a Verilated model; a stream from a MAC has no `ready`. */
struct StreamPins {
    uint8_t *valid, *ready, *last, *user;
    uint64_t *data;
};

/** The streams of a port to and from its MAC, by the names that Verilator gives its pins. */
#define STREAM_FROM(model, name) \
    StreamPins { &(model).name##_tvalid, &(model).name##_tready, &(model).name##_tlast, &(model).name##_tuser, &(model).name##_tdata }
#define STREAM_TO(model, name) \
    StreamPins { &(model).name##_tvalid, nullptr, &(model).name##_tlast, &(model).name##_tuser, &(model).name##_tdata }

class LossyWire {
public:
    /** What may happen to a frame: it is gone; a bit of it is inverted, which the MAC's check sequence finds; it comes twice; later ones pass it, by less
     * than a round trip or by more; it and all behind it wait. */
    enum Fault : unsigned { LOST, FLIPPED, REPEATED, REORDERED, DELAYED, STOPPED, FAULTS };
    static const char *const names[FAULTS];
    using Counts = std::array<uint64_t, FAULTS>;

    /** `cycles` from a frame's last beat to the first of it at the other end; of a million frames `rate` suffer one of the faults. */
    LossyWire(StreamPins from, StreamPins to, unsigned cycles, unsigned rate, uint64_t seed) : from_(from), to_(to), cycles_(cycles), rate_(rate), random_(seed) {}

    /** Cycles for which a switch holds frames that cannot leave yet: what comes then is dropped. Without an end to it a wire that is sent more than it carries
     * would grow longer for ever. */
    static constexpr unsigned BUFFER = 1000;

    /** Before the clock edge of a cycle: what stands on the pins is taken and given. */
    void before();
    uint64_t frames() const { return frames_; }
    const Counts &counts() const { return counts_; }
    /** Frames that the switch dropped because it was full. */
    uint64_t dropped() const { return dropped_; }
    /** Frames that came after one that was sent later. */
    uint64_t passed() const { return passed_; }

private:
    /** Beats between two frames: preamble, check sequence and silence are 24 bytes. */
    static constexpr unsigned GAP = 3;
    struct Frame {
        std::vector<uint64_t> beats;
        bool damaged = false;
        uint64_t number = 0;
    };
    void suffer(Frame frame);
    void put(uint64_t later, Frame frame) { waiting_.emplace(now_ + cycles_ + later, std::move(frame)); }
    bool full() const { return !waiting_.empty() && waiting_.begin()->first + BUFFER < now_; }

    const StreamPins from_, to_;
    const unsigned cycles_, rate_;
    std::mt19937_64 random_;
    uint64_t now_ = 0, frames_ = 0, latest_ = 0, passed_ = 0, dropped_ = 0;
    unsigned pause_ = 0, quiet_ = 0, stopped_ = 0; ///< cycles: until the next frame is taken, given; in which none begins
    Frame coming_, leaving_;
    size_t at_ = 0; ///< of the leaving frame's beats
    std::multimap<uint64_t, Frame> waiting_; ///< by the cycle in which it may leave; of one cycle the first in goes first
    Counts counts_{};
};
