/**
 * \file turnstile-ranks: turnstile-sim as several processes, which mpirun starts. Options and exit status are those of turnstile-sim; the first
 * rank prints, has the program's files, and writes what the run leaves.
 */
#include "mpi_ranks.h"
#include "simulate.h"
#include <chrono>
#include <cstdio>
#include <iostream>
#include <thread>

/* Why these options are none for several ranks; null: they are. */
static const char *illegal(const Options &o) {
    return !o.waves.empty() ? "waves=: one process writes a waveform" : !o.debugged.empty() ? "gdb=: one process has all processors"
         : !o.conduct.empty() ? "conduct=: one process conducts" : o.threads > 1 ? "threads= of 2 or more: a rank is one thread, legal is 1" : nullptr;
}

int main(int argc, char **argv) {
    MpiRanks ranks(argc, argv);
    const bool first = ranks.number() == 0;
    if (!first) // the first says it
        std::cerr.setstate(std::ios::failbit);
    Options options = parseOptions(argc, argv);
    const auto firstOf = [&](unsigned rank) { return Ranks::firstOf(rank, ranks.count(), options.sites); };
    const std::string name = "rank " + std::to_string(ranks.number()) + " (sites " + std::to_string(firstOf(ranks.number())) + " to " + std::to_string(firstOf(ranks.number() + 1) - 1) + "): ";
    try {
        if (ranks.count() > options.sites)
            throw std::runtime_error(std::to_string(ranks.count()) + " ranks for " + std::to_string(options.sites) + " sites: legal are 1 to " + std::to_string(options.sites));
        if (const char *why = illegal(options); why && ranks.several())
            throw std::runtime_error(std::to_string(ranks.count()) + " ranks with " + why);
        if (!first) {
            if (!std::freopen("/dev/null", "w", stdout))
                throw std::runtime_error("/dev/null does not open");
            options.progress = false;
            options.report = options.packets = options.trace = options.files = options.input = options.streams = "";
        }
        const int status = simulate(options, ranks);
        return first ? status : 0;
    } catch (const std::exception &e) {
        // What is wrong with a run is wrong in all ranks: the others speak only when the first has not.
        if (!first)
            std::this_thread::sleep_for(std::chrono::seconds(1));
        std::fprintf(stderr, "turnstile-sim: %s%s\n", first ? "" : name.c_str(), e.what());
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}
