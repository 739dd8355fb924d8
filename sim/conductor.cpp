#include "conductor.h"
#include "turnstile_conducted.h"
#include <cstddef>
#include <cstring>
#include <sstream>
#include <stdexcept>

static const char *const kinds[] = {"load", "store", "evict", "take", "call"};
/* Queue of the first aP in a name (contract §4). */
enum : unsigned { FIRST_AP = 2 };
static const char *const channels[] = {"low", "high"};

Conductor::Conductor(const Options &options, const Elf &program, const std::vector<std::unique_ptr<Site>> &sites, const Tags &tags, const Names &names)
    : options_(options), sites_(sites), tags_(tags), names_(names), aps_(options.sites * options.aps), out_(options.observed) {
    if (!program.has("__tt_order"))
        throw std::runtime_error(options.program + " cannot be conducted: it has no __tt_order");
    orderAt_ = program.address("__tt_order");
    readPlan(options.conduct);
    for (auto &s : sites)
        gates_.emplace_back(s->linkIn(), options.sites);
    writer_.assign(cells(), -1);
    last_.resize(cells());
    for (unsigned cell = 0; cell < cells(); cell++)
        last_[cell] = ~(cell * CELL);
}

/* `blocks N`, `service NAME`; then `random SEED STEPS`, or choices and `rest`, a line each. What else stands there is for others. */
void Conductor::readPlan(const std::string &path) {
    std::ifstream in(path);
    if (!in)
        throw std::runtime_error("conduct=" + path + " cannot be read");
    std::string text;
    for (unsigned number = 1; std::getline(in, text); number++) {
        std::istringstream line(text);
        std::string word, left;
        line >> word;
        if (word == "blocks")
            line >> blocks_;
        else if (word == "service")
            line >> left, service_ = true;
        else if (word == "random") {
            uint64_t seed = 0;
            line >> seed >> steps_;
            chance_.seed(seed);
            random_ = true;
        } else if (word == "rest")
            plan_.push_back({REST, 0});
        else if (word == "choice")
            line >> word, plan_.push_back(choice(line, word));
        else
            continue;
        if (line.fail() || line >> left || blocks_ < 1 || blocks_ > 2)
            throw std::runtime_error(path + ", line " + std::to_string(number) + ": '" + text + "' is no line of a plan (docs/reference/formats.md)");
    }
    if (!random_ && plan_.empty())
        throw std::runtime_error(path + " plans nothing: `random SEED STEPS`, or choices");
}

Conductor::Choice Conductor::choice(std::istream &line, const std::string &word) {
    Choice c{REST, 0};
    for (Kind kind : {LOAD, STORE, EVICT, TAKE, CALL})
        if (word == kinds[kind])
            c.kind = kind;
    std::string channel = "low";
    if (c.kind == TAKE)
        line >> c.site >> c.from >> channel;
    else if (c.kind == CALL)
        line >> c.site >> c.ap;
    else
        line >> c.site >> c.ap >> c.cell;
    c.channel = channel == channels[1];
    if (c.kind == REST || c.site >= options_.sites || c.from >= options_.sites || c.ap >= options_.aps || c.cell >= cells() || channel != channels[c.channel])
        line.setstate(std::ios::failbit);
    return c;
}

void Conductor::marked(unsigned site, unsigned number, uint32_t value) {
    if (value == TS_CONDUCT_READY)
        ap(site, number).ready = true;
    else if (value == TS_CONDUCT_ANSWERED && ap(site, number).calls)
        answered(site, number);
    else if (site == 0 && number == 0 && page_ == 0)
        page_ = value;
}

/* What the process stored before is visible. */
void Conductor::answered(unsigned site, unsigned number) {
    stirs();
    ap(site, number).busy = ap(site, number).calls = false;
    for (int &writer : writer_)
        if (writer == int(site * options_.aps + number))
            writer = -1;
}

bool Conductor::settled(uint32_t at) const { return phase_ == BEGINS || at - page_ >= cells() * CELL || writer_[(at - page_) / CELL] < 0; }

void Conductor::committed(unsigned site, unsigned number, bool store, uint32_t at, uint32_t data) {
    const uint32_t offset = at - page_;
    if (phase_ == BEGINS || offset >= cells() * CELL)
        return;
    stirs();
    ap(site, number).busy = false;
    if (store && offset % CELL == 0)
        last_[offset / CELL] = data;
}

bool Conductor::atRest() const {
    if (cycle_ - stirred_ < REST_CYCLES)
        return false;
    for (const Gate &g : gates_)
        if (!g.idle())
            return false;
    for (const Ap &a : aps_)
        if (a.calls && !a.sent)
            return false;
    for (auto &s : sites_)
        if (!s->model->io_probe_spWaiting || !s->hostIdle())
            return false;
    return true;
}

void Conductor::cycle(uint64_t number) {
    cycle_ = number;
    for (Gate &g : gates_)
        g.cycle();
    if (phase_ == BEGINS) {
        for (const Ap &a : aps_)
            if (!a.ready)
                return stirs();
        if (!atRest())
            return;
        for (Gate &g : gates_)
            g.holding = true;
        phase_ = CONDUCTS;
        observe();
    }
    if (phase_ == CONDUCTS)
        next();
}

void Conductor::next() {
    if (!random_)
        return nextOfPlan();
    if (!atRest())
        return;
    if (made_)
        observe();
    if (made_ >= steps_)
        return end();
    chooseSome();
}

void Conductor::nextOfPlan() {
    if (at_ == plan_.size()) {
        if (atRest()) {
            observe();
            end();
        }
        return;
    }
    const Choice &c = plan_[at_];
    if (c.kind == REST ? atRest() : make(c)) {
        if (c.kind == REST)
            observe();
        at_++;
    } else if (atRest()) {
        std::ostringstream why;
        why << "choice " << made_ + 1 << ", " << kinds[c.kind] << " at site " << c.site << ": "
            << (c.kind == TAKE ? "no such message has come, and none will" : "that aP still waits for its last access");
        left_ = why.str();
        observe();
        end();
    }
}

/* Where the mode promises less than sequential consistency a program without races stores to the word that another stored to when that is
 * visible; before, to a word of its own. A plan may have that, chance has not: the store may come after the answer. */
uint32_t Conductor::stores(unsigned site, unsigned number, unsigned cell) const {
    const int place = int(site * options_.aps + number);
    const bool free = names_.sequential(page_) || writer_[cell] < 0 || writer_[cell] == place;
    return free ? address(cell) : address(cell) + 4 + 4 * unsigned(place);
}

std::vector<Conductor::Choice> Conductor::possible() {
    std::vector<Choice> found;
    for (unsigned site = 0; site < options_.sites; site++) {
        for (unsigned number = 0; number < options_.aps; number++)
            for (unsigned cell = 0; cell < cells() && !ap(site, number).busy; cell++)
                for (Kind kind : {LOAD, STORE, EVICT})
                    if (kind != STORE || stores(site, number, cell) == address(cell))
                        found.push_back({kind, site, number, cell});
        for (unsigned number = 0; number < options_.aps && service_; number++)
            for (unsigned weight = 0; weight < 2 && !ap(site, number).busy; weight++)
                found.push_back({CALL, site, number});
        for (unsigned from = 0; from < options_.sites; from++)
            for (unsigned channel = 0; channel < Gate::CHANNELS; channel++)
                for (unsigned weight = 0; weight < 4 && !gates_[site].held(channel, from).empty(); weight++)
                    found.push_back({TAKE, site, 0, 0, from, channel});
    }
    return found;
}

/* One, or two or three at once, whose order is the site's. */
void Conductor::chooseSome() {
    static constexpr unsigned many[] = {1, 1, 1, 2, 2, 3};
    for (unsigned left = many[chance_() % std::size(many)]; left > 0; left--) {
        const std::vector<Choice> list = possible();
        if (list.empty())
            break;
        make(list[chance_() % list.size()]);
    }
    stirs();
}

/* False: it cannot be made yet. */
bool Conductor::make(const Choice &c) {
    if (c.kind == TAKE ? gates_[c.site].held(c.channel, c.from).empty() : ap(c.site, c.ap).busy)
        return false;
    out_ << "choice " << kinds[c.kind] << ' ' << c.site;
    if (c.kind == TAKE) {
        out_ << ' ' << c.from << ' ' << channels[c.channel] << '\n';
        gates_[c.site].release(c.channel, c.from);
    } else {
        static constexpr uint32_t what[] = {TS_CONDUCT_LOAD, TS_CONDUCT_STORE, TS_CONDUCT_EVICT, 0, TS_CONDUCT_CALL};
        out_ << ' ' << c.ap << (c.kind == CALL ? "" : ' ' + std::to_string(c.cell)) << '\n';
        ap(c.site, c.ap).calls = c.kind == CALL;
        ap(c.site, c.ap).sent = false;
        ap(c.site, c.ap).busy = true;
        const uint32_t at = c.kind == STORE ? stores(c.site, c.ap, c.cell) : address(c.cell);
        if (c.kind == STORE && at == address(c.cell))
            writer_[c.cell] = int(c.site * options_.aps + c.ap);
        order(c.site, c.ap, what[c.kind], at);
    }
    made_++;
    stirs();
    return true;
}

void Conductor::order(unsigned site, unsigned number, uint32_t what, uint32_t at) {
    const uint32_t base = options_.memory.ofPrivate(number, orderAt_);
    orders_++;
    sites_[site]->hostWrite(base + offsetof(tt_order, what), what);
    sites_[site]->hostWrite(base + offsetof(tt_order, address), at);
    sites_[site]->hostWrite(base + offsetof(tt_order, value), 0xC0000000u | orders_);
    sites_[site]->hostWrite(base + offsetof(tt_order, number), orders_);
}

/* Tags and memory by site and cell, who waits by site and aP, what is held. Memory and data: whether they hold what was stored last. */
void Conductor::observe() {
    const auto newest = [&](unsigned cell, uint32_t word) { return word == last_[cell]; };
    out_ << "tags";
    for (unsigned site = 0; site < options_.sites; site++)
        for (unsigned cell = 0; cell < cells(); cell++)
            out_ << ' ' << unsigned(tags_.of(site, address(cell)));
    out_ << "\nmemory";
    for (auto &s : sites_)
        for (unsigned cell = 0; cell < cells(); cell++) {
            uint32_t word;
            std::memcpy(&word, s->memory.at(address(cell) - MEMORY_BASE), sizeof word);
            out_ << ' ' << newest(cell, word);
        }
    out_ << "\nwaits";
    for (unsigned site = 0; site < options_.sites; site++)
        for (unsigned number = 0; number < options_.aps; number++) {
            const Site::Waiting w = sites_[site]->waiting(number);
            const bool waits = ap(site, number).calls || (w.valid && w.address - page_ < cells() * CELL);
            ap(site, number).busy = waits;
            out_ << ' ' << waits;
        }
    out_ << '\n';
    for (unsigned to = 0; to < options_.sites; to++)
        for (unsigned channel = 0; channel < Gate::CHANNELS; channel++)
            for (unsigned from = 0; from < options_.sites; from++)
                for (const Gate::Held &h : gates_[to].held(channel, from)) {
                    const unsigned cell = (h.packet.word - page_) / CELL;
                    out_ << "message " << channels[channel] << ' ' << from << ' ' << to << ' ';
                    if (h.packet.rxq == Gate::SERVICE)
                        out_ << "call " << (h.packet.source & 7) - FIRST_AP << " 0\n";
                    else
                        out_ << h.packet.tag << ' ' << ((h.packet.word - page_) & ~(names_.sequential(page_) ? 0u : 63u)) << ' ' << (h.packet.lines == 0 ? 0 : cell < cells() && newest(cell, h.first) ? 2 : 1) << '\n';
                }
    out_ << "seen" << std::endl;
}

void Conductor::end() {
    phase_ = OVER;
    for (Gate &g : gates_) {
        g.holding = false;
        for (unsigned channel = 0; channel < Gate::CHANNELS; channel++)
            for (unsigned from = 0; from < options_.sites; from++)
                while (!g.held(channel, from).empty())
                    g.release(channel, from);
    }
    for (unsigned site = 0; site < options_.sites; site++)
        for (unsigned number = 0; number < options_.aps; number++)
            order(site, number, TS_CONDUCT_END, 0);
}
