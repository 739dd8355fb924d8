#include "search.h"
#include <algorithm>
#include <chrono>

static const size_t MOST = size_t(1) << 32;
enum : uint8_t { REST = 255 };

static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Search::Search(Cluster &cluster) : cluster_(cluster), seen_(config.progress), frontier_(cluster.words()), parents_(MOST), ordinals_(MOST), outs_(MOST), edges_(MOST * 4) {}

void Search::Frontier::push(const uint64_t *words) {
    if (write_ % CHUNK == 0) {
        if (spare_.empty())
            spare_.emplace_back(CHUNK * words_);
        chunks_.push_back(std::move(spare_.back()));
        spare_.pop_back();
    }
    std::copy_n(words, words_, &chunks_.back()[write_++ % CHUNK * words_]);
    count_++;
}
const uint64_t *Search::Frontier::front() { return &chunks_[first_][read_ % CHUNK * words_]; }
void Search::Frontier::pop() {
    count_--;
    if (++read_ % CHUNK == 0)
        spare_.push_back(std::move(chunks_[first_++]));
}

/* Looks at the oldest state not yet looked at. Returns whether the search goes on. */
bool Search::expand(uint32_t number, Outcome &outcome) {
    const State s = cluster_.unpack(frontier_.front());
    frontier_.pop();
    cluster_.successors(s, successors_);
    outcome.transitions += successors_.size();
    candidates_.resize(successors_.size());
    uint32_t error = 0;
    bool rest = cluster_.rest(s, error), goesOn = false;
    if (error) {
        outcome.error = cluster_.errorText(error);
        tell(number, false, outcome);
        return false;
    }
    for (size_t i = 0; i < successors_.size(); i++) {
        const Successor &next = successors_[i];
        if (next.error) {
            outcome.error = cluster_.errorText(next.error);
            tell(number, true, outcome);
            return false;
        }
        Candidate &c = candidates_[i];
        cluster_.pack(cluster_.canonical(next.state), c.words.data());
        c.hash = hashWords(c.words.data(), cluster_.words());
        c.ordinal = uint16_t(i);
        c.begins = next.begins;
        goesOn |= !next.begins;
        seen_.prefetch(c.hash);
    }
    if (!rest && !goesOn) {
        outcome.error = "deadlock: something is under way, but nothing can happen";
        tell(number, false, outcome);
        return false;
    }
    uint8_t edges = 0;
    for (const Candidate &c : candidates_) {
        bool isNew;
        uint32_t target = seen_.add(c.hash, uint32_t(parents_.size()), isNew);
        if (isNew) {
            frontier_.push(c.words.data());
            parents_.push(number);
            ordinals_.push(c.ordinal);
        }
        if (config.progress && !rest && !c.begins) {
            edges_.push(target);
            edges++;
        }
    }
    if (config.progress)
        outs_.push(rest ? uint8_t(REST) : edges);
    return true;
}

Outcome Search::run() {
    Outcome outcome;
    double start = now();
    State first = cluster_.initial(), least = cluster_.canonical(first);
    outcome.first = first;
    std::array<uint64_t, 12> words;
    cluster_.pack(least, words.data());
    bool isNew;
    seen_.add(hashWords(words.data(), cluster_.words()), 0, isNew);
    frontier_.push(words.data());
    parents_.push(0);
    ordinals_.push(0);
    uint64_t number = 0, levelEnds = 1;
    while (!frontier_.empty() && (!config.states || number < config.states)) {
        if (!expand(uint32_t(number++), outcome))
            break;
        if (number == levelEnds && !frontier_.empty()) {
            outcome.depth++;
            levelEnds = parents_.size();
        }
    }
    outcome.states = parents_.size();
    outcome.seconds = now() - start;
    outcome.complete = outcome.error.empty() && frontier_.empty();
    if (outcome.complete && config.progress) {
        findStuck(outcome);
        outcome.progressSeconds = now() - start - outcome.seconds;
    }
    return outcome;
}

/* Sweeps from the last state to the first: good is what has a step, of those that begin nothing new, to a good one. */
void Search::findStuck(Outcome &outcome) {
    std::vector<bool> good(parents_.size());
    size_t left = parents_.size();
    for (bool changed = true; changed;) {
        changed = false;
        size_t edge = edges_.size();
        for (size_t s = outs_.size(); s-- > 0;) {
            if (outs_[s] == REST) {
                if (!good[s]) {
                    good[s] = changed = true;
                    left--;
                }
                continue;
            }
            edge -= outs_[s];
            for (size_t k = edge; !good[s] && k < edge + outs_[s]; k++)
                if (good[edges_[k]]) {
                    good[s] = changed = true;
                    left--;
                }
        }
    }
    if (!left)
        return;
    outcome.error = "no way to an end: from here, whatever happens next, not all accesses are ever done (" + std::to_string(left) + " such states)";
    for (uint32_t s = 0; s < good.size(); s++)
        if (!good[s]) {
            tell(s, false, outcome);
            return;
        }
}

void Search::tell(uint32_t number, bool andError, Outcome &outcome) {
    std::vector<uint32_t> numbers;
    for (uint32_t n = number; n; n = parents_[n])
        numbers.push_back(n);
    std::reverse(numbers.begin(), numbers.end());
    /* The states of the search, by the way each was found; then the same steps with every site in its place. */
    std::vector<Successor> list;
    State least = cluster_.canonical(outcome.first), real = outcome.first;
    auto step = [&](auto &&wanted) {
        cluster_.successors(real, list);
        for (const Successor &next : list)
            if (wanted(next)) {
                outcome.path.push_back({cluster_.retrace(real, next), next.site, next.from, next.channel, next.state});
                real = next.state;
                return;
            }
        std::fprintf(stderr, "check: the way to the error is lost: a protocol that treats sites differently by their numbers, or two states with one hash\n");
        std::exit(2);
    };
    for (uint32_t n : numbers) {
        cluster_.successors(least, list);
        least = cluster_.canonical(list.at(ordinals_[n]).state);
        std::array<uint64_t, 12> wanted, found;
        cluster_.pack(least, wanted.data());
        step([&](const Successor &next) {
            cluster_.pack(cluster_.canonical(next.state), found.data());
            return std::equal(found.begin(), found.begin() + long(cluster_.words()), wanted.begin());
        });
    }
    if (andError)
        step([](const Successor &next) { return next.error != 0; });
}
