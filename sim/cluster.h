/** \file N sites and their network, clocked together: loads a program, runs it, watches that something moves. */
#pragma once
#include "checkpoint_file.h"
#include "conductor.h"
#include "consistency.h"
#include "debugger.h"
#include "elf.h"
#include "host_calls.h"
#include "lockstep.h"
#include "names.h"
#include "network.h"
#include "processors.h"
#include "ranks.h"
#include "sharing.h"
#include "stages.h"
#include "tags.h"
#include "telling.h"
#include "trace_log.h"
#include "typist.h"
#include "waves.h"
#include "wires.h"
#include <chrono>

class Cluster : private SiteListener {
public:
    /** `ranks`: those that call this with the same options, but for files of what is told: the first alone has them. */
    Cluster(const Options &options, Ranks &ranks);
    ~Cluster() override;

    /** Words of struct tt_stats that are told. */
    enum : unsigned { STATISTICS = 7 };
    enum Ending { EXITED, TRAPPED, TIMED_OUT, QUIET, INCONSISTENT, LOST };

    /** Runs until process 0 exits, a processor dies, or nothing moves; returns the status of the run: the program's, or 3. */
    int run();

    /** For who clocks the cluster himself, with a host at it (sim/host): reset and loaded, so that all processors run; then a cycle a call.
     * Nothing is compared then: what a host stores is not watched. */
    void boot();
    void step();

    const Names &names() const { return names_; }
    /** Firmware counters of a site, valid after run(): struct tt_stats in its order; those of protocols, Names::COUNTERS each. */
    const std::vector<uint32_t> &statistics(unsigned site) const { return statistics_[site]; }
    const std::vector<uint32_t> &counters(unsigned site) const { return counters_[site]; }
    /** Protocol messages that were taken, by protocol and number, and the framework's behind them. */
    using Messages = std::array<uint64_t, Names::MESSAGES>;
    const Messages &messages(unsigned protocol) const { return messages_[protocol]; }
    uint64_t pageMessages() const { return pageMessages_; }

    uint64_t cycles() const { return cycle_ - start_; }
    uint64_t simulated() const { return cycles() - skipped_; } ///< without those before a checkpoint
    /** A checkpoint was asked for and made. */
    bool saved() const { return saved_; }
    uint64_t clock() const { return cycle_; } ///< cycles of reset and load, too
    double seconds() const { return seconds_; }
    /** Of all ranks: of their processors, and the memory they had at most, in bytes. */
    double processorSeconds() const { return processorSeconds_; }
    uint64_t peakBytes() const { return peakBytes_; }
    Ending ending() const { return ending_; }
    const Stages &stages() const { return stages_; }
    const std::vector<std::unique_ptr<Site>> &sites() const { return sites_; }
    const Consistency &consistency() const { return consistency_; }
    const std::vector<uint64_t> &eventsTaken() const { return events_; }
    const Sent &sent(unsigned site) const { return sent_[site]; }
    /** Bytes of the heap that were compared with owners' memory when all was over. */
    uint64_t compared() const { return compared_; }
    /** Packets with a CRC error: seen by routers, dropped by sites. And packets for sites that are not there. */
    struct Damage {
        uint64_t seen = 0, dropped = 0, unroutable = 0;
    };
    const Damage &damage() const { return damage_; }
    const Wires *wires() const { return wires_.get(); }
    const HostCalls &hostCalls() const { return *hostCalls_; }
    /** Events that a site's sP took, by number, from the first cycle to the last message. */
    const std::array<uint64_t, 128> &taken(unsigned site) const { return taken_[site]; }
    struct Mark {
        uint64_t cycle;
        unsigned site, ap;
        uint32_t value;
        std::vector<uint64_t> spBusy; ///< of each site, before this cycle
        void state(Checkpoint &c) { c(cycle, site, ap, value, spBusy); }
    };
    const std::vector<Mark> &marks() const { return marks_; }
    /** What the cycles of the aPs, in their order, went for, by what process 0 had last written to MARK (before: 0). Valid after run(). */
    const std::map<uint32_t, std::vector<ApTime::Cycles>> &times() const { return times_; }
    const Sharing &sharing() const { return sharing_; }
    /** The remote miss that was asked for, once it has ended. */
    const std::optional<Stages::Miss> &watched() const { return watched_; }
    const Conductor *conductor() const { return conductor_.get(); }
    const Waves &waves() const { return *waves_; }

private:
    void speaks(unsigned site, uint64_t cycle) override { lockstep_->awaitTurn(partOf(site), cycle); }
    void eventPushed(unsigned site, const Event &) override;
    void eventTaken(unsigned site, const Event &) override;
    void spWaits(unsigned site) override;
    void messageLaunched(unsigned site, unsigned to, uint32_t tag) override;
    void packetSent(unsigned site, const Packet &) override;
    void packetCame(unsigned site, const Packet &) override;
    void tagsWritten(unsigned site, uint32_t word, uint32_t mask, unsigned next) override;
    void missStarted(unsigned site, unsigned ap, uint32_t address, unsigned op) override;
    void missDone(unsigned site, unsigned ap, uint32_t address) override;
    void committed(unsigned site, unsigned ap, bool store, uint32_t address, unsigned size, uint32_t data, bool copies) override;
    void console(unsigned site, unsigned source, uint8_t character) override;
    void exited(unsigned site, unsigned ap, uint32_t status) override;
    void marked(unsigned site, unsigned ap, uint32_t value) override;
    void trapped(unsigned site, uint32_t cause) override;
    void hostAnswered(unsigned site, uint32_t data) override { sites_[site]->hostAnswered(data); }
    void hostTook(unsigned site) override { sites_[site]->hostTook(); }
    void completes(unsigned site, unsigned core, uint32_t pc) override { if (running_) debugger_->completes(site, core, pc); }

    void stirs() {
        stirred_ = cycle_;
        if (conductor_)
            conductor_->stirs();
    }
    void reset();
    void load();
    void loadFirmware();
    /** Threads, or ranks, share sites in their order. */
    unsigned partOf(unsigned site) const { return Ranks::partOf(site, parts_, options_.sites); }
    unsigned firstOf(unsigned part) const { return Ranks::firstOf(part, parts_, options_.sites); }
    /** Simulated here; models of others stand still. */
    bool own(unsigned site) const { return !ranks_.several() || partOf(site) == ranks_.number(); }
    void cycle(unsigned part, uint64_t cycle);
    void meet(uint64_t cycle);
    std::vector<Site::Waiting> waiting() const;
    bool memoriesIdle() const;
    void gatherMemory();
    void gatherCounts();
    void end();
    RunIdentity identity() const;
    void state(Checkpoint &c);
    void save();
    void restore();
    void settleHosts();
    bool someoneWaits() const;
    bool nothingMoves();
    void count(bool on);
    void progress();
    bool types();
    void collect();
    uint32_t readHost(unsigned site, uint32_t address);
    void phaseEnds();
    bool rest();
    void flushOwners();
    void compareMemory();
    void compareFrames(uint32_t line);
    uint32_t nextLine(uint32_t line, uint32_t bytes) const;
    void explainTrap(unsigned site);
    void explainStop();
    void explainDamage();

    const Options &options_;
    Ranks &ranks_;
    const unsigned parts_;
    std::unique_ptr<VerilatedContext> context_;
    Elf firmware_, program_;
    const ApTime::Functions waitingFunctions_;
    Names names_;
    Tags tags_;
    std::vector<std::unique_ptr<Site>> sites_;
    std::unique_ptr<Conductor> conductor_; ///< null: nobody conducts
    std::unique_ptr<Wires> wires_; ///< null: links are of one clock
    std::unique_ptr<Network> network_;
    std::unique_ptr<Lockstep> lockstep_;
    Telling telling_; ///< of own sites, when there are several ranks
    std::vector<Ranks::Bytes> leaving_, arriving_; ///< by rank
    Stages stages_;
    Consistency consistency_;
    Sharing sharing_;
    std::optional<Stages::Miss> watched_;
    Processors processors_;
    PacketLog packets_;
    Console console_;
    Typist typist_;
    std::unique_ptr<HostCalls> hostCalls_;
    TraceLog trace_;
    std::vector<Sent> sent_;
    uint64_t compared_ = 0;
    Damage damage_;
    std::vector<uint64_t> events_;
    std::vector<std::array<uint64_t, 128>> taken_;
    std::vector<std::vector<uint32_t>> statistics_, counters_;
    std::vector<Messages> messages_;
    uint64_t pageMessages_ = 0;
    std::vector<Mark> marks_;
    uint32_t phase_ = 0; ///< last mark of process 0
    std::map<uint32_t, std::vector<ApTime::Cycles>> times_;
    std::vector<uint64_t> timesTold_;
    uint64_t cycle_ = 0, start_ = 0, skipped_ = 0;
    uint64_t moved_ = 0, computed_ = 0, stirred_ = 0; ///< cycles of the last: sign of life; aP that computed; anything at all
    double seconds_ = 0, processorSeconds_ = 0;
    uint64_t peakBytes_ = 0;
    std::chrono::steady_clock::time_point told_; ///< when progress was told, and of how many cycles
    uint64_t toldCycles_ = 0;
    Ending ending_ = EXITED;
    bool running_ = false; ///< reports count: not before the program starts, nor while the end is looked at
    bool saving_ = false, saved_ = false; ///< the mark came; the file is there
    bool over_ = false;
    bool hosted_ = false;  ///< booted with a host, who stores into the heap unseen
    bool frozen_ = false;  ///< the run was stopped: nothing that happens now belongs to it
    int status_ = 0, dead_ = -1;
    std::string lost_;
    std::unique_ptr<Waves> waves_;
    std::unique_ptr<Debugger> debugger_; ///< null: nobody debugs
};
