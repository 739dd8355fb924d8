/** \file N sites and their network, clocked together: loads a program, runs it, watches that something moves. */
#pragma once
#include "consistency.h"
#include "elf.h"
#include "network.h"
#include "stages.h"

class Cluster : private SiteListener {
public:
    explicit Cluster(const Options &options);
    ~Cluster() override;

    enum Ending { EXITED, TRAPPED, TIMED_OUT, QUIET, INCONSISTENT };

    /** Runs until process 0 exits, a processor dies, or nothing moves; returns the status of the run: the program's, or 3. */
    int run();

    /** Firmware counters of a site (struct tt_stats), in its order. Valid after run(). */
    const std::vector<uint32_t> &statistics(unsigned site) const { return statistics_[site]; }

    uint64_t cycles() const { return cycle_ - start_; }
    double seconds() const { return seconds_; }
    Ending ending() const { return ending_; }
    const Stages &stages() const { return stages_; }
    const std::vector<std::unique_ptr<Site>> &sites() const { return sites_; }
    const Consistency &consistency() const { return consistency_; }
    const std::vector<uint64_t> &eventsTaken() const { return events_; }
    struct Mark {
        uint64_t cycle;
        unsigned site, ap;
        uint32_t value;
    };
    const std::vector<Mark> &marks() const { return marks_; }

private:
    void eventPushed(unsigned site, const Event &) override;
    void eventTaken(unsigned site, const Event &) override;
    void messageLaunched(unsigned site, unsigned to, uint32_t tag, unsigned lines) override;
    void missStarted(unsigned site, unsigned ap, uint32_t address, unsigned op) override;
    void missDone(unsigned site, unsigned ap, uint32_t address) override;
    void committed(unsigned site, unsigned ap, bool store, uint32_t address, unsigned size, uint32_t data) override;
    void consoleLine(unsigned site, unsigned source, const std::string &line) override;
    void exited(unsigned site, unsigned ap, uint32_t status) override;
    void marked(unsigned site, unsigned ap, uint32_t value) override;
    void trapped(unsigned site, uint32_t cause) override;

    void reset();
    void load();
    void step();
    void settleHosts();
    bool someoneWaits() const;
    void progress();
    void collect();
    uint32_t readHost(unsigned site, uint32_t address);
    void explainTrap(unsigned site);
    void explainStop();

    const Options &options_;
    std::unique_ptr<VerilatedContext> context_;
    Elf firmware_, program_;
    std::vector<std::unique_ptr<Site>> sites_;
    std::unique_ptr<Network> network_;
    Stages stages_;
    Consistency consistency_;
    std::vector<uint64_t> events_;
    std::vector<std::vector<uint32_t>> statistics_;
    std::vector<Mark> marks_;
    uint64_t cycle_ = 0, start_ = 0, moved_ = 0;
    double seconds_ = 0;
    Ending ending_ = EXITED;
    bool over_ = false;
    int status_ = 0, dead_ = -1;
    struct Waves;
    std::unique_ptr<Waves> waves_;
};
