/** \file A cluster between two cycles, into a file and from one. */
#include "checkpoint_file.h"
#include "cluster.h"
#include <iostream>

/* What the state means something for. Not LATENCY, DRAM, CLOCK, SEED, TIMEOUT, QUIET, THREADS. */
RunIdentity Cluster::identity() const {
    std::string args;
    for (size_t i = 1; i < options_.args.size(); i++)
        args += (i > 1 ? " " : "") + options_.args[i];
    const MemoryLayout &m = options_.memory;
    return {{"SITES", std::to_string(options_.sites)},
            {"APS", std::to_string(options_.aps)},
            {"ARGS", args},
            {"BLOCK", std::to_string(options_.block)},
            {"HOMES", options_.firstTouch ? "first-touch" : "round-robin"},
            {"MEMORY", std::to_string(m.bytes >> 20) + "M"},
            {"HEAP", std::to_string(m.heapBytes >> 20) + "M"},
            {"PRIVATE", std::to_string(m.privateBytes >> 20) + "M"},
            {"program", fileIdentity(options_.program)},
            {"firmware", fileIdentity(options_.firmware)},
            {"simulator", fileIdentity("/proc/self/exe")}};
}

void Cluster::state(Checkpoint &c) {
    for (auto &s : sites_)
        c(*s);
    if (network_)
        c(*network_);
    c(names_, tags_, stages_, consistency_, sharing_, processors_, console_, *hostCalls_);
    c(watched_, sent_, events_, taken_, messages_, pageMessages_, marks_, phase_, times_, timesTold_);
    c(cycle_, start_, moved_, computed_, stirred_);
}

void Cluster::save() {
    Checkpoint c;
    state(c);
    writeCheckpoint(options_.save, identity(), c.bytes());
    saved_ = true;
    std::cerr << "turnstile-sim: mark " << *options_.saveAt << " at cycle " << marks_.back().cycle << ", saved at " << cycles() << ": " << options_.save << "\n";
}

void Cluster::restore() {
    Checkpoint c(readCheckpoint(options_.from, identity()));
    state(c);
    running_ = true;
    if (cycles() >= options_.timeout)
        throw std::runtime_error("FROM=" + options_.from + " goes on at cycle " + std::to_string(cycles()) + ": TIMEOUT=" + std::to_string(options_.timeout) + " is over then");
    for (unsigned part = 0; network_ && part < lockstep_->threads(); part++)
        network_->publish(part, cycle_ - 1);
}
