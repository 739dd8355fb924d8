/** \file What a run that stopped has to say: who waits for what, and what lies in which queue. */
#include "cluster.h"
#include "niu_regs.h"
#include <algorithm>
#include <cstdio>

enum : uint32_t { TX_DEPTH = 16, CMD_DEPTH = 8, ENTRIES = 8, PENDING = 4 };

static const char *const opNames[16] = {"READ", "READ_EXCLUSIVE", "UPGRADE", "WRITE_BACK", "READ_PARTIAL", "WRITE_PARTIAL", "FLUSH", "CLEAN", "KILL"};

static const char *const commandNames[8] = {"GET", "PUT", "TAG", "FLUSH", "CLEAN", "KILL", "SEND", "FREE"};
static const char *const waitNames[8] = {"its next step", "the tag compare", "verdicts of its lines", "its last tag", "data of its lines", "the message unit", "?", "?"};

static const char *opName(unsigned op) { return op < 9 ? opNames[op] : "?"; }

void Cluster::explainTrap(unsigned site) {
    std::printf("site %u: the firmware died; its last %zu events, oldest first:\n", site, sites_[site]->lastEvents.size());
    for (const Event &e : sites_[site]->lastEvents)
        std::printf("  cycle %llu  event %u  argument %08x  %s\n", (unsigned long long)(e.cycle - start_), e.index, e.arg, names_.event(e.index, e.arg).c_str());
    uint32_t pc = readHost(site, firmware_.address("tt_trap") + 4), cause = readHost(site, firmware_.address("tt_trap"));
    std::printf("  cause %u at %08x (%s)\n", cause, pc, firmware_.where(pc).c_str());
}

void Cluster::explainStop() {
    if (ending_ == TIMED_OUT)
        std::printf("stopped: the program did not end within TIMEOUT=%llu cycles\n", (unsigned long long)options_.timeout);
    else
        std::printf("stopped: %s and nothing moved for %llu cycles\n", someoneWaits() ? "an access waits" : "every aP looks for what nobody does",
                    (unsigned long long)options_.quiet);
    for (unsigned i = 0; i < sites_.size(); i++) {
        const auto all = waiting();
        for (unsigned ap = 0; ap < options_.aps; ap++) {
            const Site::Waiting &w = all[i * options_.aps + ap];
            if (w.valid)
                std::printf("site %u aP %u waits: %s %08x\n", i, ap, opName(w.op), w.address);
            if (const std::string does = processors_.describe(i, ap, start_); !does.empty() && !w.valid)
                std::printf("site %u aP %u %s\n", i, ap, does.c_str());
        }
        uint32_t events = readHost(i, NIU_BASE + NIU_EV_COUNT), free = readHost(i, NIU_BASE + NIU_TX_FREE), commands = readHost(i, NIU_BASE + NIU_CMD_STATUS);
        if (events)
            std::printf("site %u events queued: high %u, local %u, low %u\n", i, events >> NIU_EV_COUNT_HIGH_SHIFT & NIU_EV_COUNT_HIGH_MASK,
                        events >> NIU_EV_COUNT_LOCAL_SHIFT & NIU_EV_COUNT_LOCAL_MASK, events & NIU_EV_COUNT_LOW_MASK);
        if ((free & 0xFFFF) < TX_DEPTH || free >> 16 < TX_DEPTH)
            std::printf("site %u Express transmit queue of the sP: %u low and %u high messages wait\n", i, TX_DEPTH - (free & 0xFFFF), TX_DEPTH - (free >> 16));
        if (commands & NIU_CMD_STATUS_BUSY(1))
            std::printf("site %u command engine: %s waits for %s, %u commands behind it\n", i, commandNames[commands >> NIU_CMD_STATUS_OP_SHIFT & NIU_CMD_STATUS_OP_MASK],
                        waitNames[commands >> NIU_CMD_STATUS_WAITS_SHIFT & NIU_CMD_STATUS_WAITS_MASK],
                        CMD_DEPTH - 1 - (commands & NIU_CMD_STATUS_FREE_MASK));
        for (unsigned e = 0; e < ENTRIES; e++) {
            uint32_t address = readHost(i, NIU_BASE + NIU_APPROVAL_ADDRESS(e)), state = readHost(i, NIU_BASE + NIU_APPROVAL_STATE(e));
            if (state >> 31)
                std::printf("site %u approval entry %u: %s %08x of master %u, %s\n", i, e, opName(state >> 4 & 15), address, state & 15,
                            state >> 30 & 1 ? "approved" : "pending");
        }
    }
    // Tags in a pending state: all sites are asked at once.
    std::vector<std::vector<uint32_t>> found(sites_.size());
    for (uint32_t a = tags_.nextOpened(options_.memory.heapBase()); a < options_.memory.heapEnd(); a = nextLine(a, 64))
        for (unsigned i = 0; i < sites_.size(); i++) {
            sites_[i]->hostWrite(NIU_BASE + NIU_TAGQ, a);
            sites_[i]->hostRead(NIU_BASE + NIU_TAGQ, [&found, i, a](uint32_t tag) {
                if (tag >= PENDING)
                    found[i].push_back(a | tag);
            });
        }
    settleHosts();
    for (unsigned i = 0; i < sites_.size(); i++)
        for (uint32_t v : found[i])
            std::printf("site %u tag of %08x: %s\n", i, v & ~63u, Tags::name(v & 7));
    std::fflush(stdout);
}
