#include "follow.h"
#include <algorithm>
#include <set>
#include <sstream>

static const std::string acts[] = {"take", "load", "store", "evict", "call"};
static const char *const channels[] = {"low", "high"};

/* The own site's messages pass no link. */
static bool alone(const Successor &s) { return s.kind == Kind::OWN ? !s.begins : s.kind == Kind::MESSAGE && s.from == s.site; }

bool Follow::rests(Cluster &cluster, const State &s) {
    std::vector<Successor> list;
    cluster.successors(s, list);
    return std::none_of(list.begin(), list.end(), alone);
}

std::string Follow::choiceOf(const Step &step, unsigned site, unsigned from, unsigned channel) {
    std::ostringstream text;
    if (step.kind == Kind::PARALLEL)
        text << "other"; // no conducted run has it
    else if (step.act == Act::CALL)
        text << acts[unsigned(step.act)] << ' ' << site << ' ' << unsigned(step.ap);
    else if (step.begins)
        text << acts[unsigned(step.act)] << ' ' << site << ' ' << unsigned(step.ap) << ' ' << unsigned(step.cell);
    else if (step.kind == Kind::MESSAGE && from != site)
        text << "take " << site << ' ' << from << ' ' << channels[channel];
    return text.str();
}

Follow::Choice Follow::choice(std::istream &line) const {
    Choice c;
    std::string act, channel;
    line >> act >> c.site;
    const auto known = std::find(std::begin(acts), std::end(acts), act);
    if (known == std::end(acts))
        line.setstate(std::ios::failbit);
    else
        c.act = Act(known - std::begin(acts));
    std::ostringstream text;
    if (c.act == Act::NONE) {
        line >> c.from >> channel;
        c.channel = channel == channels[HIGH];
        text << "take " << c.site << ' ' << c.from << ' ' << channel;
    } else if (c.act == Act::CALL) {
        line >> c.ap;
        text << act << ' ' << c.site << ' ' << c.ap;
    } else {
        line >> c.ap >> c.cell;
        text << act << ' ' << c.site << ' ' << c.ap << ' ' << c.cell;
    }
    if (c.site >= config.sites || c.from >= config.sites || c.ap >= config.aps || c.cell >= config.cells())
        line.setstate(std::ios::failbit);
    c.text = text.str();
    return c;
}

/* Tags, memory and waiting aPs a word each, then the messages on their way, in the order of the simulator. */
Follow::Sight Follow::sight(const State &s) const {
    Sight words;
    const auto name = [](const char *what, unsigned site, unsigned of, unsigned value) {
        return std::string(what) + " of site " + std::to_string(site) + (of ? ", " + std::to_string(of) : "") + ": " + std::to_string(value);
    };
    for (unsigned i = 0; i < config.sites; i++)
        for (unsigned cell = 0; cell < config.cells(); cell++)
            words.push_back(name("tag", i, cell, cluster_.site(s.site[i]).tag[cell]));
    for (unsigned i = 0; i < config.sites; i++)
        for (unsigned cell = 0; cell < config.cells(); cell++)
            words.push_back(name("memory", i, cell, cluster_.site(s.site[i]).memory[cell]));
    for (unsigned i = 0; i < config.sites; i++)
        for (unsigned ap = 0; ap < config.aps; ap++)
            words.push_back(name("waiting aP", i, ap, cluster_.site(s.site[i]).ap[ap].wait != IDLE));
    for (unsigned to = 0; to < config.sites; to++)
        for (unsigned channel = 0; channel < 2; channel++)
            for (unsigned from = 0; from < config.sites; from++)
                for (uint16_t number : cluster_.queue(s.queue[(channel * config.sites + from) * config.sites + to]).messages) {
                    const Message &m = cluster_.message(number);
                    std::ostringstream text;
                    text << "message " << channels[channel] << ' ' << from << ' ' << to << ' ';
                    if (m.type >= FW_SERVICE)
                        text << "call " << m.word << " 0";
                    else
                        text << unsigned(m.type) << ' ' << ((m.word - config.address(0)) & ~(config.release[0] ? 63u : 0u)) << ' ' << unsigned(m.data);
                    words.push_back(text.str());
                }
    return words;
}

/* The choice that a step of the model is; -1: none; MAY: the code of an aP that calls needs its cache, too. */
int Follow::chosen(const Place &at, const Successor &next, const std::vector<Choice> &choices) {
    Step begun;
    if (next.begins)
        begun = cluster_.retrace(at.state, next);
    if (begun.act == Act::EVICT)
        for (const Choice &c : choices)
            if (c.act == Act::CALL && c.site == next.site && c.ap == begun.ap)
                return MAY;
    for (unsigned k = 0; k < choices.size(); k++) {
        const Choice &c = choices[k];
        if (!(at.left >> k & 1) || c.site != next.site)
            continue;
        if (next.begins ? c.act == begun.act && c.ap == begun.ap && c.cell == begun.cell : c.act == Act::NONE && c.from == next.from && c.channel == next.channel)
            return int(k);
    }
    return -1;
}

void Follow::step(const Place &at, const std::vector<Choice> &choices, std::vector<Place> &next, bool &rests) {
    std::vector<Successor> list;
    cluster_.successors(at.state, list);
    rests = at.left == 0;
    for (const Successor &s : list) {
        const int k = alone(s) || s.kind == Kind::PARALLEL ? -1 : chosen(at, s, choices);
        if (k == MAY) {
            next.push_back({s.state, at.left});
            continue;
        }
        if (!alone(s) && k < 0)
            continue;
        if (s.error && broken_.empty())
            broken_ = cluster_.errorText(s.error);
        rests = false;
        next.push_back({s.state, k < 0 ? at.left : at.left & ~(1u << k)});
    }
    // What changes nothing is no step of the model: a load that hits, and giving up what the cache does not have.
    for (unsigned k = 0; k < choices.size(); k++) {
        const Choice &c = choices[k];
        if (!(at.left >> k & 1) || c.act == Act::NONE)
            continue;
        const Site &site = cluster_.site(at.state.site[c.site]);
        const bool has = site.cache[c.ap][c.cell].state != I;
        if (site.ap[c.ap].wait == IDLE && ((c.act == Act::LOAD && has) || (c.act == Act::EVICT && !has)))
            next.push_back({at.state, at.left & ~(1u << k)});
    }
}

std::vector<State> Follow::after(const std::vector<State> &from, const std::vector<Choice> &choices) {
    const auto key = [this](const Place &p) {
        std::array<uint64_t, 13> words{};
        cluster_.pack(p.state, words.data());
        words.back() = p.left;
        return words;
    };
    std::set<std::array<uint64_t, 13>> met;
    std::vector<Place> waiting;
    std::vector<State> resting;
    const auto meet = [&](const Place &p) {
        if (met.insert(key(p)).second)
            waiting.push_back(p);
    };
    for (const State &s : from)
        meet({s, (1u << choices.size()) - 1});
    while (!waiting.empty() && broken_.empty()) {
        const Place at = waiting.back();
        waiting.pop_back();
        std::vector<Place> next;
        bool rests;
        step(at, choices, next, rests);
        if (rests)
            resting.push_back(at.state);
        for (const Place &p : next)
            meet(p);
    }
    return resting;
}

/* Where what was seen differs from each of what may be. */
static std::string differences(const std::vector<std::string> &seen, const std::vector<std::vector<std::string>> &allowed) {
    std::ostringstream text;
    for (size_t i = 0; i < allowed.size() && i < 4; i++) {
        text << (i ? "; or" : "") << " the model has";
        const std::multiset<std::string> there(seen.begin(), seen.end()), here(allowed[i].begin(), allowed[i].end());
        for (const std::string &word : std::set<std::string>(here.begin(), here.end()))
            if (there.count(word) < here.count(word))
                text << " [" << word << ']';
        text << ", the RTL";
        for (const std::string &word : std::set<std::string>(there.begin(), there.end()))
            if (here.count(word) < there.count(word))
                text << " [" << word << ']';
    }
    if (allowed.size() > 4)
        text << "; and " << allowed.size() - 4 << " more";
    return allowed.empty() ? " the model cannot come to rest" : text.str();
}

Follow::Outcome Follow::run(std::istream &in) {
    Outcome outcome;
    std::vector<State> may{cluster_.initial()};
    std::vector<Choice> choices;
    Sight seen;
    std::string text;
    for (unsigned number = 1; std::getline(in, text); number++) {
        std::istringstream line(text);
        std::string word;
        line >> word;
        const auto each = [&](const char *what, unsigned per) {
            for (unsigned k = 0, value; k < config.sites * per && line >> value; k++)
                seen.push_back(std::string(what) + " of site " + std::to_string(k / per) + (k % per ? ", " + std::to_string(k % per) : "") + ": " + std::to_string(value));
        };
        if (word == "choice")
            choices.push_back(choice(line));
        else if (word == "tags")
            each("tag", config.cells());
        else if (word == "memory")
            each("memory", config.cells());
        else if (word == "waits")
            each("waiting aP", config.aps);
        else if (word == "message")
            seen.push_back(text);
        else if (word != "seen")
            line.setstate(std::ios::failbit);
        if (line.fail() || choices.size() > 30) {
            outcome.error = "line " + std::to_string(number) + " is not of a conducted run of these settings: " + text;
            return outcome;
        }
        if (word != "seen")
            continue;
        std::vector<Sight> allowed;
        std::vector<State> same;
        for (const State &s : after(may, choices)) {
            allowed.push_back(sight(s));
            if (allowed.back() == seen)
                same.push_back(s);
        }
        outcome.choices += unsigned(choices.size());
        outcome.broken = broken_;
        if (!broken_.empty())
            return outcome;
        if (same.empty()) {
            std::string made;
            for (const Choice &c : choices)
                made += (made.empty() ? "" : ", ") + c.text;
            outcome.error = "line " + std::to_string(number) + ", after " + (made.empty() ? "the start" : made) + ":" + differences(seen, allowed);
            outcome.last = may;
            return outcome;
        }
        may = same;
        outcome.most = std::max(outcome.most, may.size());
        outcome.seen++;
        if (uint32_t left = 0; cluster_.rest(may[0], left) && left) {
            outcome.broken = cluster_.errorText(left);
            return outcome;
        }
        choices.clear();
        seen.clear();
    }
    if (!outcome.seen)
        outcome.error = "nothing was seen";
    return outcome;
}
