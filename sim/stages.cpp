#include "stages.h"
#include "niu_regs.h"

const char *const Stages::names[COUNT] = {"aP op capture", "local sP receives", "sP sends to home", "network, 2 hops", "home sP receives",
                                          "home gathers data, responds", "network", "local sP receives reply", "local sP satisfies bus op"};

template <typename Match> void Stages::advance(uint64_t now, unsigned stage, Match match) {
    for (size_t i = 0; i < reads_.size(); i++) {
        Read &r = reads_[i];
        if (r.active && r.traced && r.stage == stage && match(r, unsigned(i / aps_))) {
            r.time[++r.stage] = now;
            return;
        }
    }
}

uint64_t Stages::Phase::median(const std::map<uint64_t, uint64_t> &by) {
    uint64_t all = 0, below = 0;
    for (auto &[cycles, count] : by)
        all += count;
    for (auto &[cycles, count] : by)
        if ((below += count) * 2 >= all)
            return cycles;
    return 0;
}

void Stages::missStarted(uint64_t now, unsigned site, unsigned ap, uint32_t address, unsigned op) {
    Read &r = reads_[site * aps_ + ap];
    r = Read{};
    r.active = true;
    r.address = address;
    r.traced = op == BUS_OP_READ && memory_.inHeap(address);
    r.time[0] = now;
    if (address - AP_EXPRESS_TX_BASE < AP_EXPRESS_TX_BYTES && phase_[site * aps_ + ap] == EXPRESS_MARK)
        express_.sent = now;
}

std::optional<Stages::Miss> Stages::missDone(uint64_t now, unsigned site, unsigned ap) {
    Read &r = reads_[site * aps_ + ap];
    if (!r.active)
        return std::nullopt;
    const std::optional<Miss> ended = r.remote && r.address < AP_BASE ? std::optional(Miss{site, ap, r.address, r.time[0], now}) : std::nullopt;
    if (r.address - AP_EXPRESS_RX_BASE < AP_EXPRESS_RX_BYTES && r.address % AP_PAGE_BYTES == AP_EXPRESS_RX_DATA && express_.sent) {
        express_.count++;
        express_.cycles += now - express_.sent;
        express_.least = std::min(express_.least, now - express_.sent);
        express_.sent = 0;
    }
    uint64_t cycles = now - r.time[0];
    unsigned bucket = 63 - __builtin_clzll(cycles | 1);
    if (r.address >= AP_BASE) {
        uncachedCount++;
        uncachedCycles += cycles;
    } else {
        (r.remote ? remote_ : local_)[bucket]++;
        (r.remote ? remoteCount : localCount)++;
        (r.remote ? remoteCycles : localCycles) += cycles;
        Phase &p = phases_[phase_[site * aps_ + ap]];
        (r.remote ? p.remote : p.local)++;
        (r.remote ? p.remoteCycles : p.localCycles) += cycles;
        (r.remote ? p.remoteBy : p.localBy)[cycles]++;
    }
    r.active = false;
    if (!r.traced || r.stage != COUNT - 1)
        return ended;
    r.time[COUNT] = now;
    if (kept_.size() < KEPT)
        kept_.push_back({site, ap, phase_[site * aps_ + ap], r.address, r.time});
    sum_.count++;
    sum_.total += cycles;
    sum_.least = std::min(sum_.least, cycles);
    sum_.most = std::max(sum_.most, cycles);
    for (unsigned s = 0; s < COUNT; s++)
        sum_.cycles[s] += r.time[s + 1] - r.time[s];
    return ended;
}

void Stages::eventPushed(uint64_t now, unsigned site, uint32_t index, uint32_t arg) {
    if (index >= EVENT_FAULT && index < EVENT_SERVICE) {
        for (unsigned ap = 0; ap < aps_; ap++) {
            Read &r = reads_[site * aps_ + ap];
            if (!r.active || (r.address ^ arg) >= 64)
                continue;
            r.remote = true;
            if (r.stage != 0) /* judged a second time (its page was opened, or a write followed): the first does not count */
                r.stage = 0;
            r.time[++r.stage] = now;
            return;
        }
        return;
    }
    const Names::Stage is = protocols_.stage(index, arg);
    if (is == Names::ASKED)
        advance(now, 3, [&](Read &r, unsigned) { return r.home == site && r.address == arg; });
    if (is == Names::DATA)
        advance(now, 6, [&](Read &r, unsigned from) { return from == site && blockOf(r.address) == blockOf(arg); });
}

void Stages::eventTaken(uint64_t now, unsigned site, uint32_t index, uint32_t arg) {
    if (index >= EVENT_FAULT && index < EVENT_SERVICE)
        advance(now, 1, [&](Read &r, unsigned from) { return from == site && (r.address ^ arg) < 64; });
    else if (protocols_.stage(index, arg) == Names::ASKED)
        advance(now, 4, [&](Read &r, unsigned) { return r.home == site && r.address == arg; });
    else if (protocols_.stage(index, arg) == Names::DATA)
        advance(now, 7, [&](Read &r, unsigned from) { return from == site && blockOf(r.address) == blockOf(arg); });
}

/* The header does not say what the message is about: that is the read that waits for one. */
void Stages::messageLaunched(uint64_t now, unsigned site, unsigned to, uint32_t tag) {
    const auto is = [&](const Read &r, uint32_t number, Names::Stage stage) { return protocols_.stage(number, r.address) == stage; };
    advance(now, 2, [&](Read &r, unsigned from) {
        if (from != site || !is(r, tag, Names::ASKED))
            return false;
        r.home = to;
        return true;
    });
    advance(now, 5, [&](Read &r, unsigned from) { return r.home == site && from == to && is(r, tag & ~1u, Names::DATA); });
    for (Read &r : reads_) // the home has to ask another: not a clean read
        if (r.active && r.stage == 5 && r.home == site && is(r, tag, Names::UNCLEAN))
            r.traced = false;
}
