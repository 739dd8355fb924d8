#include "cluster.h"
#include "site_parts.h"
#include <algorithm>
#include <numeric>

Config config;

Cluster::Cluster() : words_((config.sites * 4 + 4 * config.sites * config.sites + 7) / 8), pairs_(1 << 16) {
    queueNumber({});
    /* Homes and registries of the pages keep their places. */
    std::vector<uint8_t> order(config.sites);
    std::iota(order.begin(), order.end(), 0);
    while (std::next_permutation(order.begin() + config.pages, order.end())) {
        Renaming r;
        for (unsigned i = 0; i < config.sites; i++) {
            r.to[i] = order[i];
            r.from[order[i]] = uint8_t(i);
        }
        renamings_.push_back(r);
    }
}

State Cluster::initial() {
    State s{};
    for (unsigned i = 0; i < config.sites; i++)
        s.site[i] = siteNumber(freshSite(i));
    return s;
}

void Cluster::pack(const State &s, uint64_t *words) const {
    words[words_ - 1] = 0;
    std::memcpy(words, s.site, config.sites * 4);
    std::memcpy(reinterpret_cast<char *>(words) + config.sites * 4, s.queue, 4 * config.sites * config.sites);
}
State Cluster::unpack(const uint64_t *words) const {
    State s{};
    std::memcpy(s.site, words, config.sites * 4);
    std::memcpy(s.queue, reinterpret_cast<const char *>(words) + config.sites * 4, 4 * config.sites * config.sites);
    return s;
}

/* ---- numbers ---- */
uint32_t Cluster::siteNumber(const Site &s) {
    auto [place, isNew] = siteNumbers_.emplace(s, uint32_t(sites_.size()));
    if (isNew) {
        sites_.push_back(s);
        Known k{};
        for (unsigned cell = 0; cell < config.cells(); cell++) {
            k.rights[cell] = uint8_t(rights(s, cell));
            k.old[cell] = ~0u;
        }
        k.slots = uint8_t(slotsHeld(s));
        k.quiet = -1;
        known_.push_back(k);
    }
    return place->second;
}

uint16_t Cluster::messageNumber(const Message &m) {
    auto place = std::find(messages_.begin(), messages_.end(), m);
    if (place == messages_.end())
        place = messages_.insert(place, m);
    return uint16_t(place - messages_.begin());
}

uint16_t Cluster::queueNumber(const std::vector<uint16_t> &messages) {
    std::string key(reinterpret_cast<const char *>(messages.data()), messages.size() * 2);
    auto [place, isNew] = queueNumbers_.emplace(key, uint16_t(queues_.size()));
    if (isNew) {
        if (queues_.size() == 0xFFFF) {
            std::fprintf(stderr, "check: more than 65535 different contents of a channel\n");
            std::exit(2);
        }
        Queue q{messages};
        for (uint16_t m : messages)
            q.data += messages_[m].data != 0;
        queues_.push_back(q);
        popped_.push_back(0);
        pushed_.emplace_back();
        oldQueues_.emplace_back().fill(-1);
        uint16_t number = place->second;
        if (!messages.empty()) {
            uint16_t rest = queueNumber({messages.begin() + 1, messages.end()});
            popped_[number] = rest;
        }
        return number;
    }
    return place->second;
}

uint32_t Cluster::errorNumber(const std::string &text) {
    auto place = std::find(errors_.begin(), errors_.end(), text);
    if (place == errors_.end())
        place = errors_.insert(place, text);
    return uint32_t(place - errors_.begin());
}

/* ---- what follows, looked up ---- */
Cluster::Results Cluster::keep(const std::vector<Step> &steps) {
    std::vector<Result> list;
    for (const Step &step : steps) {
        Result r{siteNumber(step.after), errorNumber(step.error), uint32_t(outs_.size()), uint16_t(step.sent.size()), step.stored, step.kind, step.begins};
        for (const Sent &sent : step.sent)
            outs_.push_back({sent.channel, sent.to, messageNumber(sent.message)});
        list.push_back(r);
    }
    Results results{uint32_t(results_.size()), uint32_t(list.size())};
    results_.insert(results_.end(), list.begin(), list.end());
    return results;
}

Cluster::Results Cluster::own(uint32_t site) {
    if (known_[site].own.count == ~0u) {
        std::vector<Step> steps;
        ownSteps(Site(sites_[site]), steps);
        Results results = keep(steps);
        known_[site].own = results;
    }
    return known_[site].own;
}

Cluster::Results Cluster::taken(uint32_t site, unsigned from, unsigned channel, uint16_t message) {
    uint64_t key = 1ull << 63 | uint64_t(site) << 24 | uint64_t(message) << 8 | from << 1 | channel;
    size_t mask = pairs_.size() - 1, i = key * 0x9E3779B97F4A7C15ull >> 20 & mask;
    for (; pairs_[i].key; i = (i + 1) & mask)
        if (pairs_[i].key == key)
            return pairs_[i].results;
    std::vector<Step> steps;
    messageSteps(Site(sites_[site]), from, Channel(channel), messages_[message], steps);
    Results results = keep(steps);
    pairs_[i] = {key, results};
    if (++pairCount_ > pairs_.size() / 2) {
        std::vector<Pair> old(pairs_.size() * 2);
        old.swap(pairs_);
        for (const Pair &p : old)
            if (p.key) {
                size_t k = p.key * 0x9E3779B97F4A7C15ull >> 20 & (pairs_.size() - 1);
                while (pairs_[k].key)
                    k = (k + 1) & (pairs_.size() - 1);
                pairs_[k] = p;
            }
    }
    return results;
}

uint32_t Cluster::oldSite(uint32_t site, unsigned cell) {
    if (known_[site].old[cell] == ~0u) {
        Site s = sites_[site];
        grow_old(s, cell);
        if (config.releaseOf(cell))
            s.claimed[cell] = ELSEWHERE;
        uint32_t number = siteNumber(s);
        known_[site].old[cell] = number;
    }
    return known_[site].old[cell];
}

uint16_t Cluster::oldQueue(uint16_t queue, unsigned cell) {
    if (oldQueues_[queue][cell] < 0) {
        std::vector<uint16_t> list = queues_[queue].messages;
        for (uint16_t &m : list) {
            Message message = messages_[m];
            grow_old(message, cell);
            m = messageNumber(message);
        }
        uint16_t number = queueNumber(list);
        oldQueues_[queue][cell] = number;
    }
    return uint16_t(oldQueues_[queue][cell]);
}

uint16_t Cluster::pushed(uint16_t queue, uint16_t message) {
    if (pushed_[queue].size() <= message)
        pushed_[queue].resize(message + 1u, -1);
    if (pushed_[queue][message] < 0) {
        std::vector<uint16_t> list = queues_[queue].messages;
        list.push_back(message);
        uint16_t number = queueNumber(list);
        pushed_[queue][message] = number;
    }
    return uint16_t(pushed_[queue][message]);
}

uint16_t Cluster::popped(uint16_t queue) { return popped_[queue]; }

uint32_t Cluster::renamedSite(unsigned renaming, uint32_t site) {
    std::vector<uint32_t> &list = renamings_[renaming].sites;
    if (list.size() <= site)
        list.resize(sites_.size() + 1000, ~0u);
    if (list[site] == ~0u) {
        Site s = sites_[site];
        rename(s, renamings_[renaming].to.data());
        uint32_t number = siteNumber(s);
        list[site] = number;
    }
    return list[site];
}

uint16_t Cluster::renamedQueue(unsigned renaming, uint16_t queue) {
    std::vector<int32_t> &list = renamings_[renaming].queues;
    if (list.size() <= queue)
        list.resize(queues_.size() + 1000, -1);
    if (list[queue] < 0) {
        std::vector<uint16_t> messages = queues_[queue].messages;
        for (uint16_t &m : messages) {
            Message message = messages_[m];
            message.word = fw_rename_word(message.type, message.word, renamings_[renaming].to.data());
            m = messageNumber(message);
        }
        uint16_t number = queueNumber(messages);
        list[queue] = number;
    }
    return uint16_t(list[queue]);
}

/* ---- the cluster's steps ---- */
void Cluster::apply(const State &s, unsigned at, const Result &r, Successor &next) {
    next.state = s;
    next.kind = r.kind;
    next.site = uint8_t(at);
    next.begins = r.begins;
    next.error = r.error;
    if (r.stored >= 0) {
        for (unsigned i = 0; i < config.sites; i++)
            if (i != at)
                next.state.site[i] = oldSite(s.site[i], unsigned(r.stored));
        for (unsigned q = 0; q < 2 * config.sites * config.sites; q++)
            if (s.queue[q])
                next.state.queue[q] = oldQueue(s.queue[q], unsigned(r.stored));
    }
    next.state.site[at] = r.site;
    for (uint32_t k = r.outs; k < r.outs + r.out; k++) {
        const Out out = outs_[k];
        if (out.channel == ANSWER) {
            answer(at, out.to, messages_[out.message].word, next);
            continue;
        }
        uint16_t &q = next.state.queue[queueIndex(out.channel, at, out.to)];
        q = pushed(q, out.message);
    }
    if (!next.error)
        next.error = check(next.state, at);
}

/* A program has its answer, and others may rely on what it stored. */
void Cluster::answer(unsigned home, unsigned to, unsigned ap, Successor &next) {
    Site caller = sites_[next.state.site[to]];
    if (caller.ap[ap].wait != CALLING && !next.error)
        next.error = errorNumber("a service answers a program that waits for none: site " + std::to_string(to));
    const unsigned visible = answered(caller, ap, home);
    next.state.site[to] = siteNumber(caller);
    for (unsigned i = 0; i < config.sites && visible; i++)
        if (i != to) {
            Site s = sites_[next.state.site[i]];
            for (unsigned cell = 0; cell < MOST_CELLS; cell++)
                if (visible >> cell & 1)
                    s.claimed[cell] = NOBODY;
            next.state.site[i] = siteNumber(s);
        }
}

/* One writer or many readers, and with release consistency beside him; the bounds of the event FIFO and the slots. */
uint32_t Cluster::check(const State &s, unsigned at) {
    for (unsigned cell = 0; cell < config.cells(); cell++) {
        unsigned mine = known_[s.site[at]].rights[cell];
        if (!mine)
            continue;
        for (unsigned i = 0; i < config.sites; i++)
            if (i != at && known_[s.site[i]].rights[cell] + mine > (config.releaseOf(cell) ? 3u : 2u))
                return errorNumber("one site may write while another may read or write: sites " + std::to_string(at) + " and " + std::to_string(i));
    }
    for (unsigned to = 0; to < config.sites; to++) {
        unsigned events = 0, slots = known_[s.site[to]].slots;
        for (unsigned from = 0; from < config.sites; from++) {
            const uint16_t q = s.queue[queueIndex(HIGH, from, to)];
            if (q) {
                events += unsigned(queues_[q].messages.size());
                slots += queues_[q].data;
            }
        }
        mostEvents_ = std::max(mostEvents_, events);
        mostSlots_ = std::max(mostSlots_, slots);
        if (events > config.events)
            return errorNumber("more high messages on their way to a site than its event FIFO has places: " + std::to_string(events));
        if (slots > config.slots)
            return errorNumber("more slots needed at a site than there are: " + std::to_string(slots));
    }
    return 0;
}

void Cluster::successors(const State &s, std::vector<Successor> &list) {
    list.clear();
    for (unsigned at = 0; at < config.sites; at++) {
        Results results = own(s.site[at]);
        for (uint32_t k = 0; k < results.count; k++) {
            const Result r = results_[results.first + k];
            Successor &next = list.emplace_back();
            next.ordinal = uint16_t(k);
            apply(s, at, r, next);
        }
    }
    if (mayBeginParallel(s)) {
        Successor &next = list.emplace_back(Successor{.state = s, .kind = Kind::PARALLEL, .begins = true});
        for (unsigned at = 0; at < config.sites; at++) {
            Site site = sites_[s.site[at]];
            beginParallel(site);
            next.state.site[at] = siteNumber(site);
        }
    }
    for (unsigned channel = 0; channel < 2; channel++)
        for (unsigned from = 0; from < config.sites; from++)
            for (unsigned to = 0; to < config.sites; to++) {
                unsigned q = queueIndex(channel, from, to);
                if (!s.queue[q])
                    continue;
                Results results = taken(s.site[to], from, channel, queues_[s.queue[q]].messages[0]);
                State before = s;
                before.queue[q] = popped(s.queue[q]);
                for (uint32_t k = 0; k < results.count; k++) {
                    const Result r = results_[results.first + k];
                    Successor &next = list.emplace_back();
                    next.ordinal = uint16_t(k);
                    next.from = uint8_t(from);
                    next.channel = uint8_t(channel);
                    apply(before, to, r, next);
                }
            }
}

bool Cluster::mayBeginParallel(const State &s) const {
    for (unsigned ap = 0; ap < config.aps; ap++)
        if (sites_[s.site[0]].ap[ap].wait != IDLE)
            return false;
    return sites_[s.site[1]].waits;
}

State Cluster::canonical(const State &s) {
    State best = s;
    for (unsigned k = 0; k < renamings_.size(); k++) {
        const Renaming &r = renamings_[k];
        State other;
        int order = 0; /* of the new one to the best so far */
        for (unsigned i = 0; i < config.sites && order <= 0; i++) {
            other.site[i] = renamedSite(k, s.site[r.from[i]]);
            if (!order)
                order = other.site[i] < best.site[i] ? -1 : other.site[i] > best.site[i];
        }
        for (unsigned channel = 0; channel < 2; channel++)
            for (unsigned from = 0; from < config.sites; from++)
                for (unsigned to = 0; to < config.sites && order <= 0; to++) {
                    unsigned q = queueIndex(channel, from, to);
                    uint16_t old = s.queue[queueIndex(channel, r.from[from], r.from[to])];
                    other.queue[q] = old ? renamedQueue(k, old) : 0;
                    if (!order)
                        order = int(other.queue[q]) - int(best.queue[q]);
                }
        if (order < 0)
            best = other;
    }
    return best;
}

bool Cluster::rest(const State &s, uint32_t &error) {
    for (unsigned q = 0; q < 2 * config.sites * config.sites; q++)
        if (s.queue[q])
            return false;
    uint32_t left = 0;
    for (unsigned i = 0; i < config.sites; i++) {
        Known &k = known_[s.site[i]];
        if (k.quiet < 0) {
            std::string text;
            k.quiet = quiet(sites_[s.site[i]], text);
            k.restError = errorNumber(text);
        }
        if (!k.quiet)
            return false;
        if (k.restError)
            left = k.restError;
    }
    error = left ? left : invariants(s);
    return true;
}

uint32_t Cluster::invariants(const State &s) {
    for (unsigned i = 0; i < config.sites; i++) {
        loadFirmware(sites_[s.site[i]].firmware);
        fw_take(i);
    }
    for (unsigned block = 0; block < config.blocks; block++) {
        uint8_t tags[MOST_SITES];
        const unsigned cell = block * config.parts();
        for (unsigned i = 0; i < config.sites; i++)
            tags[i] = sites_[s.site[i]].tag[cell];
        if (const char *broken = fw_invariant(config.address(cell), config.sites, tags))
            return errorNumber(broken);
    }
    return 0;
}

Step Cluster::retrace(const State &s, const Successor &next) {
    if (next.kind == Kind::PARALLEL) {
        Step step{.after = sites_[next.state.site[0]], .kind = Kind::PARALLEL, .begins = true};
        step.text = "the parallel phase begins, at all sites";
        return step;
    }
    wordy = true;
    std::vector<Step> steps;
    const Site at = sites_[s.site[next.site]];
    if (next.kind == Kind::MESSAGE)
        messageSteps(at, next.from, Channel(next.channel), messages_[queues_[s.queue[queueIndex(next.channel, next.from, next.site)]].messages[0]], steps);
    else
        ownSteps(at, steps);
    wordy = false;
    return steps.at(next.ordinal);
}
