/** \file Host calls of processes (docs/design/host-calls.md): fetched from their memory through the host port, answered there. */
#pragma once
#include "elf.h"
#include "files.h"
#include "ranks.h"
#include "site.h"
#include "turnstile_call.h"

class HostCalls {
public:
    HostCalls(const Options &options, const Elf &program, const std::vector<std::unique_ptr<Site>> &sites, const uint64_t &cycle, Ranks &ranks);

    /** Process `ap` of `site` rang. What it rings for while its last call runs is counted, not done. */
    void ring(unsigned site, unsigned ap);

    struct Counts {
        uint64_t calls = 0, refused = 0, stray = 0; ///< refused: answered with an errno
        uint64_t cycles = 0;                        ///< of aPs, from the ring until the answer left
    };
    const Counts &counts() const { return counts_; }
    const Files &files() const { return files_; }
    /** No call is under way. */
    bool idle() const;
    /** While it is idle. */
    void state(Checkpoint &c) { c(files_, counts_); }

private:
    struct Call {
        unsigned site, process;
        uint32_t base; ///< bus address of the process's struct tt_call
        bool runs = false;
        uint64_t since = 0;
        tt_call words{};
        std::vector<uint8_t> data; ///< for the process
    };
    /** Reads words of a call, `at` bytes from its begin on, and then goes on. */
    void fetch(Call &call, uint32_t at, uint32_t bytes, std::function<void()> then);
    void begin(Call &call);
    int32_t perform(Call &call);
    int32_t ask(Call &call);
    void answer(Call &call, int32_t value);

    const std::vector<std::unique_ptr<Site>> &sites_;
    const uint64_t &cycle_;
    Ranks &ranks_;
    Files files_;
    uint32_t at_ = 0; ///< struct tt_call in a private window
    bool there_ = false;  ///< the program has one
    std::vector<Call> calls_;
    Counts counts_;
};
