/** \file One site: the Verilated RTL, its DRAM, its host port, and what its probes say. */
#pragma once
#include "VSite.h"
#include "ap_time.h"
#include "axi_memory.h"
#include "clock.h"
#include "console.h"
#include "link.h"
#include "options.h"
#include "packet.h"
#include "site_pins.h"
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/** An event as the sP's queues saw it. */
struct Event {
    uint64_t cycle;
    uint32_t index, arg;
};

/** What a site's probes report; the cluster listens. `ap` counts within the site. */
class SiteListener {
public:
    virtual ~SiteListener() = default;
    /** The site has something to tell in this cycle: the calls below. */
    virtual void speaks(unsigned site, uint64_t cycle) = 0;
    virtual void eventPushed(unsigned site, const Event &) = 0;
    virtual void eventTaken(unsigned site, const Event &) = 0;
    /** The sP finished a handler and waits for an event. */
    virtual void spWaits(unsigned site) = 0;
    /** The header flit of a message left on the site's link. */
    virtual void messageLaunched(unsigned site, unsigned to, uint32_t tag) = 0;
    /** The tail of a packet left on the site's link, or came. */
    virtual void packetSent(unsigned site, const Packet &) = 0;
    virtual void packetCame(unsigned site, const Packet &) = 0;
    /** cls tags of 32 lines were written. */
    virtual void tagsWritten(unsigned site, uint32_t word, uint32_t mask, unsigned next) = 0;
    virtual void missStarted(unsigned site, unsigned ap, uint32_t address, unsigned op) = 0;
    virtual void missDone(unsigned site, unsigned ap, uint32_t address) = 0;
    /** `copies`: the aP is in ApTime::Functions::copies(). */
    virtual void committed(unsigned site, unsigned ap, bool store, uint32_t address, unsigned size, uint32_t data, bool copies) = 0;
    /** A character of the console of an aP, or of the sP: Console::SP. */
    virtual void console(unsigned site, unsigned source, uint8_t character) = 0;
    virtual void exited(unsigned site, unsigned ap, uint32_t status) = 0;
    virtual void marked(unsigned site, unsigned ap, uint32_t value) = 0;
    virtual void trapped(unsigned site, uint32_t cause) = 0;
    /** The host port: the data of its oldest read are here; it took the command that was offered. */
    virtual void hostAnswered(unsigned site, uint32_t data) = 0;
    virtual void hostTook(unsigned site) = 0;
    /** An instruction of a debugged core, an aP or Site::SP, is in its last cycle. */
    virtual void completes(unsigned site, unsigned core, uint32_t pc) = 0;
};

class Site {
public:
    static constexpr unsigned SP = Options::Processor::SP; ///< of cores

    Site(VerilatedContext *context, unsigned number, const Options &options, const ApTime::Functions &functions, SiteListener &listener);

    /** First of all in a cycle: what the probes say. */
    void tell(uint64_t cycle);
    /** All else before its clock edge: DRAM, host port, counts. */
    void before(uint64_t cycle);
    /** All inputs that mean something to happen: none. */
    void quiet();
    void edge() { clockEdge(*model); }
    void after() { clockFall(*model); }

    /** Host port: queued; `done` gets the data of a read some cycles later. */
    void hostWrite(uint32_t address, uint32_t data) { host_.push_back({true, address, data, {}}); }
    void hostRead(uint32_t address, std::function<void(uint32_t)> done) { host_.push_back({false, address, 0, std::move(done)}); }
    bool hostIdle() const { return host_.empty() && hostReads_.empty(); }
    void hostAnswered(uint32_t data);
    void hostTook();
    /** The sP took an event. */
    void took(const Event &e) {
        if (lastEvents.size() == 32)
            lastEvents.pop_front();
        lastEvents.push_back(e);
    }

    /** An aP's access that waits for its line. */
    struct Waiting {
        bool valid = false;
        uint32_t address = 0;
        unsigned op = 0;
    };
    Waiting waiting(unsigned ap) const {
        const ApPins &p = aps_[ap];
        return {(bool)*p.waiting, *p.waitingAddress, *p.waitingOp};
    }
    /** Cycles in which the sP was not waiting for an event, before `cycle`: the one that is simulated or that comes next. */
    uint64_t spBusy(uint64_t cycle) const { return busy_[(cycle - 1) & 1]; }
    /** For the report; words of 64 bits. */
    struct Counted {
        uint64_t busy;
        AxiMemory::Counts memory;
        Dram::Counts dram;
    };
    Counted counted(uint64_t cycle) const { return {spBusy(cycle), memory.counts(), memory.dram() ? memory.dram()->counts() : Dram::Counts{}}; }
    /** Of a site that another rank simulates. */
    void learn(const Counted &other) {
        busy_.fill(other.busy);
        memory.learn(other.memory, other.dram);
    }
    /** x0 to x31 of a core. */
    const uint32_t *registers(unsigned core) const { return core == SP ? sp_.registers : aps_[core].registers; }
    /** Of the sP's memory. False: it has none there. */
    bool spMemory(uint32_t address, uint8_t &byte) const;
    const LinkPins &linkOut() const { return linkOut_; }
    const LinkPins &linkIn() const { return linkIn_; }
    /** Of a site whose host port is idle. */
    void state(Checkpoint &c);

    std::unique_ptr<VSite> model;
    AxiMemory memory;
    bool counting = false;             ///< the program runs: not before it starts, nor while the end is explained
    std::deque<Event> lastEvents;      ///< the last 32 that the sP took, idle and timer apart
    unsigned debugged = 0;             ///< cores whose instructions are told, a bit each
    std::vector<ApTime> apTimes;       ///< what the cycles of each aP went for

private:
    struct HostOp {
        bool write;
        uint32_t address, data;
        std::function<void(uint32_t)> done;
    };
    void tellInstructions();
    bool speaks() const;

    unsigned number_;
    uint32_t heapBase_;
    const ApTime::Functions &functions_;
    SiteListener &listener_;
    std::vector<ApPins> aps_;
    SpPins sp_;
    LinkWords noLink_[2]; ///< of a site that has a wire
    const LinkPins linkOut_, linkIn_;
    std::deque<HostOp> host_;
    std::deque<std::function<void(uint32_t)>> hostReads_;
    bool commandOffered_ = false;
    bool spWaited_ = true;
    std::array<uint64_t, 2> busy_{}; ///< by the cycle's number, odd or even: another site's mark asks for the last one
    PacketReader out_, in_;
};
