#include "cluster.h"
#include "niu_regs.h"
#include "turnstile_job.h"
#include <algorithm>
#include <cstring>
#include <ctime>
#include <iostream>
#include <sys/resource.h>
#include <verilated.h>

/* After so many cycles a run looks whether anything moves, and whether a shell waits for its next line. */
enum : uint64_t { LOOK = 0x4000, LOOK_AT_SHELL = 0x100 };
/* Contract §1, §8. */
enum : uint32_t { ARGS_BYTES = 1020, CONFIG_MAGIC = 0x54545543 };

static std::string duration(double seconds) {
    char text[40];
    if (seconds < 120)
        std::snprintf(text, sizeof text, "%.0f s", seconds);
    else if (seconds < 7200)
        std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
    else
        std::snprintf(text, sizeof text, "%.0f h", seconds / 3600);
    return text;
}

Cluster::Cluster(const Options &options, Ranks &ranks)
    : options_(options), ranks_(ranks), parts_(ranks.several() ? ranks.count() : options.threads), context_(new VerilatedContext), firmware_(options.firmware), program_(options.program), waitingFunctions_(program_), names_(options.names, options.memory.heapBytes),
      tags_(names_, options.sites, options.memory.heapBase(), options.memory.heapEnd()), stages_(names_, options.sites, options.aps, options.block, options.memory), consistency_(options.memory.heapBase(), options.memory.heapEnd()),
      sharing_(options.memory.heapBase(), options.memory.heapEnd(), options.block),
      processors_(options.sites, options.aps), packets_(options.packets), console_(options.aps, options.streams), typist_(options.shell, options.shellAt), trace_(options.trace), sent_(options.sites), events_(options.sites), taken_(options.sites), statistics_(options.sites), counters_(options.sites), messages_(names_.protocols().size()) {
    if (options.reset) {
        context_->randReset(2);
        context_->randSeed(options.reset);
    }
#if VM_TRACE
    context_->traceEverOn(!options.waves.empty());
#endif
    for (unsigned i = 0; i < options.sites; i++)
        sites_.push_back(std::make_unique<Site>(context_.get(), i, options, waitingFunctions_, ranks.several() ? static_cast<SiteListener &>(telling_) : *this));
    lockstep_ = std::make_unique<Lockstep>(options.threads, options.yielding, [this](unsigned thread, uint64_t number) { cycle(ranks_.number() + thread, number); });
    leaving_.resize(ranks.count()), arriving_.resize(ranks.count());
    hostCalls_ = std::make_unique<HostCalls>(options, program_, sites_, cycle_, ranks);
    if (options.sites > 1 && !TURNSTILE_WIRE) {
        std::vector<Network::Ends> ends;
        if (!options.conduct.empty())
            conductor_ = std::make_unique<Conductor>(options, program_, sites_, tags_, names_);
        for (auto &s : sites_)
            ends.push_back({s->linkOut(), conductor_ ? conductor_->entry(ends.size()) : s->linkIn(), partOf(ends.size())});
        if (options.wire.on) {
            wires_ = std::make_unique<Wires>(context_.get(), options, ends);
            ends = wires_->behind();
        }
        network_ = std::make_unique<Network>(context_.get(), ends, parts_);
    }
    if (options.fault.kind == Options::Fault::FLIP)
        network_->damage(options.fault.site, options.fault.n);
    if (options.fault.kind == Options::Fault::LOSE)
        sites_[options.fault.site]->memory.lose(options.memory.heapBase() - MEMORY_BASE, options.fault.n);
    waves_ = std::make_unique<Waves>(options, sites_, network_.get(), wires_.get());
    if (!options.debugged.empty())
        debugger_ = std::make_unique<Debugger>(options, sites_, consistency_);
}

Cluster::~Cluster() = default;

/* A part of a cycle, in its thread. Waveforms are of all parts: one thread writes them. */
void Cluster::cycle(unsigned part, uint64_t number) {
    const auto begin = sites_.begin() + firstOf(part), end = sites_.begin() + firstOf(part + 1);
    if (part == ranks_.number())
        cycle_ = number; // nobody looks before the first thread has ended its turn
    std::for_each(begin, end, [&](auto &s) { s->tell(number); });
    if (ranks_.several())
        meet(number);
    else
        lockstep_->endTurn(part, number);
    std::for_each(begin, end, [&](auto &s) { s->before(number); });
    if (wires_)
        wires_->before(part);
    if (network_)
        network_->before(part, number);
    if (conductor_)
        conductor_->cycle(number);
    std::for_each(begin, end, [](auto &s) { s->edge(); });
    if (wires_)
        wires_->edge(part);
    if (network_)
        network_->edge(part);
    waves_->dump(number, false);
    std::for_each(begin, end, [](auto &s) { s->after(); });
    if (wires_)
        wires_->after(part);
    if (network_) {
        network_->after(part);
        network_->publish(part, number);
    }
    waves_->dump(number, true);
}

/* What links brought to sites of other ranks, and what sites tell: from now on each rank knows what all know. */
void Cluster::meet(uint64_t number) {
    const unsigned here = ranks_.number();
    for (unsigned rank = 0; rank < ranks_.count(); rank++)
        if (Ranks::Bytes &to = leaving_[rank]; rank != here) {
            to.clear();
            network_->pack(here, rank, number, to);
            to.insert(to.end(), telling_.bytes().begin(), telling_.bytes().end());
        }
    ranks_.exchange(leaving_, arriving_);
    for (unsigned rank = 0; rank < ranks_.count(); rank++)
        if (rank == here)
            Telling::hear(telling_.bytes(), 0, number, *this);
        else
            Telling::hear(arriving_[rank], network_->unpack(here, rank, number, arriving_[rank]), number, *this);
    telling_.clear();
}

void Cluster::step() {
    lockstep_->step(cycle_);
    cycle_++;
}

void Cluster::end() {
    over_ = true;
    lockstep_->stop(cycle_);
}

void Cluster::reset() {
    for (auto &s : sites_) {
        s->model->reset = 1;
        s->model->io_spReset = 1;
    }
    if (network_)
        network_->reset(true);
    if (wires_)
        wires_->reset(true);
    // Before the first edge registers hold anything, and nobody listens.
    context_->assertOn(false);
    for (auto &s : sites_) {
        s->quiet();
        s->edge();
        s->after();
    }
    for (unsigned part = 0; network_ && part < parts_; part++) {
        if (wires_) {
            wires_->edge(part);
            wires_->after(part);
        }
        network_->edge(part);
        network_->after(part);
        network_->publish(part, cycle_ - 1);
    }
    context_->assertOn(true);
    for (int i = 0; i < 4; i++)
        step();
    for (auto &s : sites_)
        s->model->reset = 0;
    if (network_)
        network_->reset(false);
    if (wires_)
        wires_->reset(false);
    step();
    // Before a wire is up it takes what is sent and drops it.
    enum { TRAINING = 1000000 };
    for (const uint64_t until = cycle_ + TRAINING; wires_ && !wires_->up(); step())
        if (cycle_ == until)
            throw std::runtime_error("a wire is not up after " + std::to_string(TRAINING) + " cycles");
}

void Cluster::settleHosts() {
    for (bool idle = false; !idle;) {
        step();
        idle = true;
        for (auto &s : sites_)
            idle &= s->hostIdle();
    }
}

uint32_t Cluster::readHost(unsigned site, uint32_t address) {
    uint32_t value = 0;
    sites_[site]->hostRead(address, [&](uint32_t v) { value = v; });
    while (!sites_[site]->hostIdle())
        step();
    return value;
}

void Cluster::load() {
    // The program into each aP's private window, with its arguments.
    std::vector<uint8_t> args(4 + ARGS_BYTES);
    uint32_t argc = options_.args.size(), at = 4;
    std::memcpy(args.data(), &argc, 4);
    for (const std::string &a : options_.args) {
        if (at + a.size() + 1 > args.size())
            throw std::runtime_error("the program's arguments are longer than " + std::to_string(ARGS_BYTES) + " bytes");
        std::memcpy(&args[at], a.c_str(), a.size() + 1);
        at += a.size() + 1;
    }
    const tt_memory memory = {options_.memory.heapBase(), options_.memory.heapEnd(), AP_PRIVATE_BASE + options_.memory.privateBytes - AP_MESSAGE_BYTES};
    const uint8_t *const first = reinterpret_cast<const uint8_t *>(&memory);
    const std::vector<uint8_t> memoryBytes(first, first + sizeof memory);
    for (auto &s : sites_)
        for (unsigned ap = 0; ap < options_.aps; ap++) {
            auto put = [&](uint32_t address, const std::vector<uint8_t> &data, uint32_t bytes) {
                if (address < AP_PRIVATE_BASE || address + bytes > memory.private_end)
                    throw std::runtime_error(options_.program + " reaches to byte " + std::to_string(address + bytes - AP_PRIVATE_BASE) + " of its private window; legal are " +
                                             std::to_string(memory.private_end - AP_PRIVATE_BASE) + ", its " + std::to_string(options_.memory.privateBytes >> 20) + " MB less the message queue");
                if (own(&s - &sites_[0]))
                    std::memcpy(s->memory.at(options_.memory.ofPrivate(ap, address) - MEMORY_BASE), data.data(), data.size()); // which was zeros
            };
            for (const Elf::Segment &g : program_.segments())
                put(g.address, g.data, g.memoryBytes);
            if (program_.has("__tt_args"))
                put(program_.address("__tt_args"), args, args.size());
            if (program_.has("__tt_memory"))
                put(program_.address("__tt_memory"), memoryBytes, memoryBytes.size());
        }
    if (!options_.held)
        loadFirmware();
    for (auto &s : sites_)
        s->model->io_spReset = 0;
}

/* Through the host port, with its configuration. */
void Cluster::loadFirmware() {
    const uint32_t config[] = {CONFIG_MAGIC, options_.sites, options_.aps, (uint32_t)__builtin_ctz(options_.block), options_.firstTouch,
                               options_.memory.heapBase(), options_.memory.heapEnd(), options_.memory.end(), options_.memory.privateBytes, options_.hosts};
    for (auto &s : sites_) {
        for (const Elf::Segment &g : firmware_.segments()) {
            std::vector<uint8_t> data = g.data;
            data.resize((data.size() + 3) & ~3u);
            for (uint32_t i = 0; i < data.size(); i += 4) {
                uint32_t word;
                std::memcpy(&word, &data[i], 4);
                s->hostWrite(g.address + i, word);
            }
        }
        for (uint32_t i = 0; i < std::size(config); i++)
            s->hostWrite(firmware_.address("tt_config") + 4 * i, config[i]);
    }
    settleHosts();
}

/* Of all aPs, in their order: accesses of memory. */
std::vector<Site::Waiting> Cluster::waiting() const {
    std::vector<uint64_t> words(sites_.size() * options_.aps);
    for (unsigned i = 0; i < words.size(); i++)
        if (const unsigned site = i / options_.aps; own(site))
            if (const Site::Waiting w = sites_[site]->waiting(i % options_.aps); w.valid && w.address < AP_BASE)
                words[i] = uint64_t(1) << 63 | uint64_t(w.op) << 32 | w.address;
    ranks_.add(words);
    std::vector<Site::Waiting> all;
    for (const uint64_t w : words)
        all.push_back({w >> 63 != 0, uint32_t(w), unsigned(w >> 32 & 15)});
    return all;
}

bool Cluster::someoneWaits() const {
    const auto all = waiting();
    return std::any_of(all.begin(), all.end(), [](const Site::Waiting &w) { return w.valid; });
}

/* For QUIET cycles no sign of life, and an access waits, or all aPs look for what nobody will do. */
bool Cluster::nothingMoves() {
    const auto all = waiting();
    if (processors_.computes([&](unsigned site, unsigned ap) { return all[site * options_.aps + ap].valid; }))
        computed_ = cycle_;
    return cycle_ - moved_ >= options_.quiet && (someoneWaits() || cycle_ - computed_ >= options_.quiet);
}

/* Once a second: how far the run is, how fast it was since the last time, and how long it may take at that speed until TIMEOUT. */
void Cluster::progress() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - told_).count();
    if (seconds < 1)
        return;
    const double rate = (cycles() - toldCycles_) / seconds;
    char text[200];
    std::snprintf(text, sizeof text, "%s: %llu k cycles, %.0f k/s, %llu remote misses; at this speed TIMEOUT ends it in %s", options_.app.c_str(),
                  (unsigned long long)cycles() / 1000, rate / 1000, (unsigned long long)stages_.remoteCount,
                  duration((options_.timeout - cycles()) / rate).c_str());
    std::cerr << "\r" << text << "\033[K" << std::flush;
    told_ = now;
    toldCycles_ = cycles();
}

void Cluster::count(bool on) {
    running_ = on;
    for (auto &s : sites_) {
        s->counting = on;
        s->memory.count(on);
    }
}

bool Cluster::types() { return typist_.types(cycles(), *sites_[0], firmware_.address("console_typed"), console_.shown(0)); }

void Cluster::boot() {
    hosted_ = true;
    reset();
    load();
    start_ = cycle_;
}

int Cluster::run() {
    if (options_.from.empty()) {
        reset();
        load();
        start_ = moved_ = computed_ = cycle_;
        if (debugger_)
            debugger_->begin();
        count(true);
    } else {
        restore();
    }
    skipped_ = toldCycles_ = cycles();
    const std::clock_t processor = std::clock();
    const auto wall = told_ = std::chrono::steady_clock::now();
    const uint64_t look = typist_.on() ? LOOK_AT_SHELL : LOOK;
    while (true) {
        cycle_ = lockstep_->run(cycle_, cycle_ + std::min(saving_ ? 1 : look - cycle_ % look, options_.timeout - cycles()));
        if (over_)
            break;
        if (saving_ && hostCalls_->idle()) {
            save();
            saving_ = false;
        }
        if (cycles() >= options_.timeout) {
            ending_ = TIMED_OUT;
            break;
        }
        if (typist_.on())
            types();
        if (cycle_ % LOOK == 0 && nothingMoves()) {
            ending_ = QUIET;
            break;
        }
        if (options_.progress)
            progress();
    }
    uint64_t ended = cycle_;
    phaseEnds();
    count(false);
    if (debugger_)
        debugger_->ended(ending_ == EXITED ? status_ : 3);
    processorSeconds_ = double(std::clock() - processor) / CLOCKS_PER_SEC;
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    typist_.hurry();
    while (ending_ == EXITED && typist_.on() && types())
        step();
    if (options_.progress)
        std::cerr << "\r\033[K";
    console_.finish();
    std::cout << std::flush;
    if (ending_ == TIMED_OUT || ending_ == QUIET) {
        status_ = 3;
        frozen_ = true; // the questions clock the cluster on: what it does meanwhile is not of this run
        collect();
        explainStop();
    } else if (ending_ == INCONSISTENT) {
        status_ = 3;
        std::printf("%s\n", (consistency_.broken().empty() ? tags_.broken() : consistency_.broken()).c_str());
    } else if (dead_ >= 0) {
        status_ = 3;
        explainTrap(dead_);
    } else if (rest()) {
        flushOwners();
        compareMemory();
    }
    if (conductor_ && !conductor_->left().empty() && status_ == 0)
        status_ = 3;
    if (!frozen_)
        collect();
    explainDamage();
    cycle_ = ended; // what the questions afterwards took does not count
    gatherCounts();
    return status_;
}

/* For the report: what other ranks counted of their sites, and the processor's time of all. */
void Cluster::gatherCounts() {
    static_assert(std::is_trivially_copyable_v<Site::Counted> && sizeof(Site::Counted) % sizeof(uint64_t) == 0);
    enum { COUNTS = sizeof(Site::Counted) / sizeof(uint64_t) };
    std::vector<uint64_t> counts(COUNTS * sites_.size() + 2);
    for (unsigned site = 0; site < sites_.size(); site++)
        if (own(site)) {
            const Site::Counted counted = sites_[site]->counted(cycle_);
            std::memcpy(&counts[COUNTS * site], &counted, sizeof counted);
        }
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    uint64_t &time = counts[COUNTS * sites_.size()], &peak = counts.back();
    time = processorSeconds_ * 1e6, peak = 1024 * use.ru_maxrss; // Linux counts KB
    ranks_.add(counts);
    processorSeconds_ = time / 1e6, peakBytes_ = peak;
    for (unsigned site = 0; site < sites_.size(); site++)
        if (!own(site)) {
            Site::Counted counted;
            std::memcpy(static_cast<void *>(&counted), &counts[COUNTS * site], sizeof counted);
            sites_[site]->learn(counted);
        }
}

void Cluster::collect() {
    for (unsigned site = 0; site < sites_.size(); site++) {
        const auto words = [&](const char *symbol, unsigned n, std::vector<uint32_t> &to) {
            for (uint32_t base = readHost(site, firmware_.address(symbol)), i = 0; i < n; i++)
                to.push_back(readHost(site, base + 4 * i));
        };
        words("tt_stats", STATISTICS, statistics_[site]);
        words("tt_counters", names_.protocols().size() * Names::COUNTERS, counters_[site]);
    }
}

void Cluster::eventPushed(unsigned site, const Event &e) {
    stirs();
    if (e.index == Names::PAGE_INFO)
        names_.pageInfo(e.arg);
    trace_.write(e.cycle, "push", site, 0, e.index, e.arg);
    if (running_)
        stages_.eventPushed(e.cycle, site, e.index, e.arg);
}

void Cluster::eventTaken(unsigned site, const Event &e) {
    if (e.index != EVENT_TIMER) // they would push out what matters
        sites_[site]->took(e);
    if (frozen_ || e.index == EVENT_IDLE)
        return;
    if (trace_.on())
        trace_.write(e.cycle, "take", site, 0, e.index, e.arg, names_.event(e.index, e.arg));
    stirs();
    taken_[site][e.index]++;
    if (e.index < Names::MESSAGES && !messages_.empty())
        messages_[names_.protocolOf(e.arg)][e.index]++;
    else if (e.index < Names::FRAMEWORK_END)
        pageMessages_++;
    if (e.index == EVENT_TIMER)
        return;
    moved_ = e.cycle;
    if (!running_)
        return;
    events_[site]++;
    stages_.eventTaken(e.cycle, site, e.index, e.arg);
    if (options_.events)
        std::printf("%10llu  sP %u  event %u  %08x  %s\n", (unsigned long long)(e.cycle - start_), site, e.index, e.arg, names_.event(e.index, e.arg).c_str());
}

void Cluster::spWaits(unsigned site) { trace_.write(cycle_, "idle", site, 0, 0, 0); }

void Cluster::messageLaunched(unsigned site, unsigned to, uint32_t tag) {
    if (running_)
        stages_.messageLaunched(cycle_, site, to, tag);
}

void Cluster::packetSent(unsigned site, const Packet &p) {
    if (frozen_)
        return;
    stirs();
    sent_[site].count(p);
    packets_.write(site, "sent", p);
}

void Cluster::packetCame(unsigned site, const Packet &p) {
    if (frozen_)
        return;
    stirs();
    packets_.write(site, "came", p);
}

void Cluster::tagsWritten(unsigned site, uint32_t word, uint32_t mask, unsigned next) {
    stirs();
    tags_.written(cycle_ - start_, site, word, mask, next);
    if (!tags_.broken().empty() && !over_ && !frozen_) {
        ending_ = INCONSISTENT;
        end();
    }
}

void Cluster::missStarted(unsigned site, unsigned ap, uint32_t address, unsigned op) {
    if (address < AP_BASE || processors_.uncached(cycle_, site, ap, address, true)) {
        moved_ = cycle_;
        stirs();
    }
    trace_.write(cycle_, "miss", site, ap, op, address);
    if (running_)
        stages_.missStarted(cycle_, site, ap, address, op);
}

void Cluster::missDone(unsigned site, unsigned ap, uint32_t address) {
    const bool lives = address < AP_BASE || processors_.uncached(cycle_, site, ap, address, false);
    if (lives) {
        moved_ = cycle_;
        stirs();
        if (conductor_ && address >= AP_BASE)
            conductor_->sends(site, ap);
    }
    trace_.write(cycle_, "done", site, ap, 0, address);
    if (!running_)
        return;
    if (const auto ended = stages_.missDone(cycle_, site, ap)) {
        sharing_.missed(site, ended->address, ended->to - ended->from);
        if (stages_.remoteCount == options_.watched)
            watched_ = ended;
    }
}

void Cluster::committed(unsigned site, unsigned ap, bool store, uint32_t address, unsigned size, uint32_t data, bool copies) {
    processors_.commit(site, ap, store, address);
    if (hosted_)
        return;
    if (conductor_)
        conductor_->committed(site, ap, store, address, data);
    if (conductor_ && !store && !names_.sequential(address) && !conductor_->settled(address))
        return; // a race: any value is right
    if (store && copies)
        consistency_.copied(cycle_ - start_, site, ap, address, size, data);
    else
        consistency_.commit(cycle_ - start_, site, ap, store, address, size, data);
    sharing_.commit(site, store, address);
    if (debugger_)
        debugger_->accessed(site, ap, store, address, size, data);
    if (!consistency_.broken().empty() && !over_ && !frozen_) {
        ending_ = INCONSISTENT;
        end();
    }
}

void Cluster::console(unsigned site, unsigned source, uint8_t character) {
    if (frozen_)
        return;
    if (console_.put(site, source, character) && !over_)
        hostCalls_->ring(site, source);
    else if (character == '\n')
        moved_ = cycle_;
}

void Cluster::exited(unsigned site, unsigned ap, uint32_t status) {
    if (frozen_ || ((site != 0 || ap != 0) && status == 0))
        return;
    if (!over_)
        status_ = status & 0xFF;
    end();
}

void Cluster::marked(unsigned site, unsigned ap, uint32_t value) {
    if (frozen_)
        return;
    std::vector<uint64_t> busy(sites_.size());
    for (unsigned i = 0; i < busy.size(); i++)
        busy[i] = own(i) ? sites_[i]->spBusy(cycle_) : 0;
    ranks_.add(busy);
    if (conductor_)
        conductor_->marked(site, ap, value);
    marks_.push_back({cycle_ - start_, site, ap, value, busy});
    trace_.write(cycle_, "mark", site, ap, 0, value);
    stages_.marked(site, ap, value);
    if (site == 0 && ap == 0) {
        if (options_.saveAt == value && !saved_) {
            saving_ = true;
            lockstep_->stop(cycle_);
        }
        sharing_.marked(value);
        if (running_)
            phaseEnds();
        phase_ = value;
    }
}

/* What was not counted in a phase before is of this one. */
void Cluster::phaseEnds() {
    const size_t aps = options_.sites * options_.aps;
    auto &of = times_[phase_];
    of.resize(aps);
    timesTold_.resize(aps * ApTime::CLASSES);
    std::vector<uint64_t> now(aps * ApTime::CLASSES);
    for (size_t i = 0; i < aps; i++)
        if (const unsigned site = i / options_.aps; own(site))
            std::copy_n(sites_[site]->apTimes[i % options_.aps].before(cycle_).begin(), ApTime::CLASSES, &now[i * ApTime::CLASSES]);
    ranks_.add(now);
    for (size_t i = 0; i < now.size(); i++)
        of[i / ApTime::CLASSES][i % ApTime::CLASSES] += now[i] - timesTold_[i];
    timesTold_ = std::move(now);
}

void Cluster::trapped(unsigned site, uint32_t) {
    if (frozen_)
        return;
    if (dead_ < 0)
        dead_ = site;
    ending_ = TRAPPED;
    end();
}
