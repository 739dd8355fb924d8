/** \file What a run is asked to do: the simulator's arguments. */
#pragma once
#include "dram_kind.h"
#include "memory_layout.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct Options {
    std::string firmware, program, report, waves, names;
    std::vector<std::string> args; ///< argv of the program, argv[0] first
    unsigned sites = 1, aps = 1;
    unsigned threads = 1;         ///< that simulate, at most one a site
    bool yielding = false;        ///< one thread instead while others use the cores
    unsigned block = 128;         ///< bytes a coherence block: 64 .. 2048, a power of two
    bool firstTouch = false;      ///< homes: false round robin, true first touch (BZ-27)
    MemoryLayout memory;
    uint32_t hosts = 0;           ///< bit q: Express queue q of every site is a host's
    bool held = false;            ///< sPs have no firmware until a host writes it
    unsigned memoryLatency = 12;  ///< cycles from AXI address to first beat, without `dram`
    const DramKind *dram = nullptr; ///< that of a board; null: a latency
    unsigned megahertz = 100;     ///< of the site's clock, by which the DRAM's times are cycles
    uint64_t seed = 0;            ///< not 0: the DRAM's latency varies by it, 0 to 7 cycles more
    uint64_t timeout = 2'000'000'000;
    uint64_t quiet = 1'000'000;   ///< cycles in which an access may wait while nothing moves
    bool progress = true;
    bool events = false;          ///< print every event an sP takes
    std::string trace;            ///< file for what sPs and aPs did; empty: none
    std::string files;            ///< the folder of the program's files; empty: it has none
    std::string input;            ///< the file that is its stdin; empty: at its end
    std::string streams;          ///< folder for stdout and stderr of each process; empty: none
    std::string conduct, observed; ///< plan of a conducted run, and the file for what was seen; empty: nobody conducts
    std::optional<uint32_t> saveAt; ///< the mark of process 0 at which the run is saved, into `save`
    std::string save, from;       ///< `from`: the file where the run goes on; empty: it begins
    std::string packets;          ///< file for every packet on the links; empty: none
    uint64_t wavesFrom = 0, wavesTo = UINT64_MAX; ///< cycles of the waveform, the last one included
    uint64_t watched = 0;         ///< the remote miss, from 1 in the order of their ends, whose cycles the report tells; 0: none
    uint64_t reset = 0;           ///< 0: registers and memories begin as zeros; else with random contents of this seed
    /** For tests of the checks: what breaks, at which site, at the n-th time (from 1). */
    struct Fault {
        enum { NONE, FLIP, LOSE } kind = NONE;
        unsigned site = 0;
        uint64_t n = 0;
    } fault;
    /** WIRE=: between each site and its router a wire that loses frames. */
    struct Wire {
        bool on = false;
        unsigned cycles = 0; ///< each way
        unsigned faults = 0; ///< of a million frames
        uint64_t seed = 1;
    } wire;
    struct Processor {
        static constexpr unsigned SP = 8;
        unsigned site, core; ///< an aP of the site, or SP
    };
    std::vector<Processor> debugged; ///< by gdb
    unsigned gdbPort = 0;            ///< 0: any that is free
    std::vector<std::string> shell; ///< lines typed at the console of site 0's sP
    uint64_t shellAt = UINT64_MAX;  ///< the cycle from which they are; else when the program has ended
    std::string app, protocol = "stache", command;
};

/** Reads the command line. A mistake is one sentence with the legal range on stderr and exit status 2. */
Options parseOptions(int argc, char **argv);
