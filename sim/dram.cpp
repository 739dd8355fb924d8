#include "dram.h"
#include <algorithm>

static uint64_t above(uint64_t time, uint64_t step) { return (time + step - 1) / step; }

/* Times as whole clocks: up, but for what is 26 thousandths of a clock too much, as JEDEC rounds (JESD79-4, rounding algorithms). */
static DramKind inClocks(DramKind k) {
    for (uint64_t *t : {&k.tCL, &k.tCWL, &k.tRCD, &k.tRCDWR, &k.tRP, &k.tRAS, &k.tRRD_S, &k.tRRD_L, &k.tFAW, &k.tCCD_S, &k.tCCD_L, &k.tWTR_S, &k.tWTR_L, &k.tRTP, &k.tWR, &k.tRFC})
        *t = (1000 * *t + 974 * k.tCK) / (1000 * k.tCK) * k.tCK;
    return k;
}

/* A crossing of clocks is a pointer through two registers: there two periods of the controller, back two of the site (atSite). */
Dram::Dram(const DramKind &kind, unsigned megahertz, unsigned site)
    : kind_(inClocks(kind)), period_(1'000'000 / megahertz), there_(2 * kind.controllerClock + kind.controller / 2), back_(kind.controller - kind.controller / 2),
      banks_(kind.banks), refreshAt_(kind.tREFI + kind.tREFI / 64 * site) {}

/* Lines lie side by side in one row of each group, then in the rest of these rows, then in the next banks. */
Dram::Access Dram::access(uint64_t cycle, uint32_t address, unsigned bytes, uint64_t tag) const {
    const uint32_t line = address / 64, group = line % kind_.groups, part = line / kind_.groups / (kind_.rowBytes / 64);
    const unsigned inGroup = kind_.banks / kind_.groups;
    const uint64_t at = above((cycle + 1) * period_ + there_, kind_.tCK) * kind_.tCK;
    const unsigned bursts = above(address % kind_.burstBytes + bytes, kind_.burstBytes);
    return {at, tag, line, part / inGroup, part % inGroup * kind_.groups + group, bursts, 0};
}

void Dram::read(uint64_t cycle, uint32_t address, unsigned bytes, uint64_t tag) { reads_.push_back(access(cycle, address, bytes, tag)); }
void Dram::write(uint64_t cycle, uint32_t address, unsigned bytes) { posted_.push_back(access(cycle, address, bytes, 0)); }

uint64_t Dram::atSite(uint64_t time) const { return above(time, period_) + 2; }

void Dram::count(uint64_t cycle, bool on) {
    refresh((cycle + 1) * period_);
    counting_ = on;
}

const std::vector<Dram::Answer> &Dram::decide(uint64_t cycle) {
    answers_.clear();
    while (true) {
        uint64_t time = UINT64_MAX;
        for (const auto *queue : {&reads_, &writes_, &posted_})
            if (!queue->empty())
                time = std::min(time, queue->front().at);
        time = std::max(time, next_);
        if (time > (cycle + 1) * period_)
            return answers_;
        refresh(time);
        admit(time);
        const bool turned = turns(time);
        counts_.turns += counting_ && turned;
        writing_ ^= turned;
        std::deque<Access> &queue = writing_ ? writes_ : reads_;
        const auto chosen = choose(queue, time);
        const Access access = *chosen;
        queue.erase(chosen);
        if (writing_ && writes_.size() + 1 == WRITES)
            free_ = time;
        serve(access, time);
    }
}

/* A write is done for the site when the queue has it. */
void Dram::admit(uint64_t time) {
    for (; !posted_.empty() && posted_.front().at <= time && writes_.size() < WRITES; posted_.pop_front()) {
        answers_.push_back({true, 0, atSite(std::max(posted_.front().at, free_) + back_)});
        writes_.push_back(posted_.front());
    }
}

/* It wants a line that a write before it changes. */
bool Dram::held(const Access &read) const {
    return std::any_of(writes_.begin(), writes_.end(), [&](const Access &w) { return w.line == read.line && w.at <= read.at; });
}

/* The other direction's turn; one of both has something at `time`. */
bool Dram::turns(uint64_t time) const {
    const bool reads = !reads_.empty() && reads_.front().at <= time;
    if (writing_)
        return writes_.empty() || (reads && writes_.size() <= FEW && !held(reads_.front()));
    return !writes_.empty() && (!reads || writes_.size() >= MANY || held(reads_.front()));
}

std::deque<Dram::Access>::iterator Dram::choose(std::deque<Access> &queue, uint64_t time) {
    auto chosen = queue.begin();
    if (chosen->passed < PATIENCE)
        for (auto a = queue.begin(); a != queue.end() && a->at <= time; ++a)
            if (banks_[a->bank].row == a->row && (writing_ || !held(*a))) {
                chosen = a;
                break;
            }
    if (chosen != queue.begin())
        queue.front().passed++;
    return chosen;
}

/* All banks at once. Of several that fell due meanwhile the last alone can hold somebody up: the others found the channel at rest. */
void Dram::refresh(uint64_t time) {
    if (time < refreshAt_)
        return;
    const uint64_t missed = (time - refreshAt_) / kind_.tREFI;
    uint64_t start = refreshAt_ + missed * kind_.tREFI;
    if (missed == 0)
        for (const Bank &b : banks_)
            if (b.row != NONE)
                start = std::max(start, std::max(refreshAt_, b.precharge) + kind_.tRP);
    for (Bank &b : banks_)
        b.row = NONE, b.activate = start + kind_.tRFC;
    refreshAt_ += (missed + 1) * kind_.tREFI;
    if (counting_)
        counts_.refreshes += missed + 1;
}

void Dram::open(Bank &bank, const Access &access, uint64_t time) {
    uint64_t activate = std::max(time, bank.activate);
    if (bank.row != NONE)
        activate = std::max(activate, std::max(time, bank.precharge) + kind_.tRP);
    uint64_t &ofGroup = activatedOf_[groupOf(access.bank)];
    activate = std::max({activate, activated_.back() + kind_.tRRD_S, ofGroup + kind_.tRRD_L, activated_.front() + kind_.tFAW});
    std::rotate(activated_.begin(), activated_.begin() + 1, activated_.end());
    activated_.back() = ofGroup = activate;
    if (counting_)
        ++(bank.row == NONE ? counts_.misses : counts_.conflicts);
    bank = {access.row, activate + kind_.tRAS + kind_.tRP, activate + kind_.tRAS, activate + kind_.tRCD, activate + kind_.tRCDWR};
}

/* When the next column command of this direction can be, and that it is. The bus turns with two clocks between. */
uint64_t Dram::column(unsigned group, uint64_t earliest) {
    Columns &mine = writing_ ? lastWrite_ : lastRead_;
    const Columns &others = writing_ ? lastRead_ : lastWrite_;
    uint64_t at = std::max({earliest, mine.last + kind_.tCCD_S, mine.of[group] + kind_.tCCD_L});
    if (writing_)
        at = std::max(at, others.last + kind_.tCL + kind_.tBurst + 2 * kind_.tCK - kind_.tCWL);
    else
        at = std::max({at, others.last + kind_.tCWL + kind_.tBurst + kind_.tWTR_S, others.of[group] + kind_.tCWL + kind_.tBurst + kind_.tWTR_L});
    return mine.last = mine.of[group] = at;
}

void Dram::serve(const Access &access, uint64_t time) {
    Bank &bank = banks_[access.bank];
    if (bank.row != access.row)
        open(bank, access, time);
    else if (counting_)
        counts_.hits++;
    uint64_t at = std::max(time, writing_ ? bank.write : bank.read), site = 0;
    for (unsigned burst = 0; burst < access.bursts; burst++) {
        at = column(groupOf(access.bank), at);
        bank.precharge = std::max(bank.precharge, at + (writing_ ? kind_.tCWL + kind_.tBurst + kind_.tWR : kind_.tRTP));
        // A beat of 16 B a cycle from the first on: none may be asked for before it is there.
        const uint64_t beat = burst * kind_.burstBytes / 16;
        site = std::max(site, atSite(at + kind_.tCL + kind_.tBurst + back_) - beat);
    }
    if (!writing_)
        answers_.push_back({false, access.tag, site});
    // So early that a row for the next can be opened meanwhile.
    const uint64_t ahead = kind_.tRP + kind_.tRCD;
    next_ = std::max(time, at + kind_.tCCD_S > ahead ? at + kind_.tCCD_S - ahead : 0);
}
