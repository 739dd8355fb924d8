/** \file The waveform of a run: every signal of every site, router and wire, in a window of its cycles. A nanosecond there is a cycle. */
#pragma once
#include "options.h"
#include <memory>
#include <vector>

class Network;
class Site;
class Wires;

class Waves {
public:
    /** Opens the file that `options` names; without a name nothing is ever written. A simulator without VM_TRACE writes none. */
    Waves(const Options &options, const std::vector<std::unique_ptr<Site>> &sites, Network *network, Wires *wires);
    ~Waves();
    /** All signals at the cycle's rising edge, or half a cycle later. */
    void dump(uint64_t cycle, bool later);
    /** A file was asked for, and no cycle of the run was in its window. */
    bool empty() const { return open_ && !written_; }

private:
    struct File;
    const uint64_t from_, to_;
    std::unique_ptr<File> file_;
    bool open_ = false, written_ = false;
};
