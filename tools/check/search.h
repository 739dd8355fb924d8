/** \file
 * Breadth first over every interleaving, states seen kept as 64 bits each. Afterwards, backwards from the states of rest: which states
 * cannot come to rest although nobody wants anything new.
 */
#pragma once
#include "cluster.h"

struct Outcome {
    uint64_t states = 0, transitions = 0;
    unsigned depth = 0;
    bool complete = false;
    double seconds = 0, progressSeconds = 0;
    std::string error; ///< empty: every promise holds
    /** Steps from the start to the error, sites in their places. */
    struct Told {
        Step step;
        uint8_t site, from, channel;
        State state;
    };
    State first;
    std::vector<Told> path;
};

class Search {
public:
    explicit Search(Cluster &cluster);
    Outcome run();

private:
    struct Frontier {
        explicit Frontier(size_t words) : words_(words) {}
        void push(const uint64_t *words);
        const uint64_t *front();
        void pop();
        bool empty() const { return count_ == 0; }

    private:
        enum : size_t { CHUNK = 1 << 14 };
        size_t words_, count_ = 0, read_ = 0, write_ = 0;
        std::vector<std::vector<uint64_t>> spare_;
        std::vector<std::vector<uint64_t>> chunks_;
        size_t first_ = 0;
    };
    /** A state not yet looked for among those seen. */
    struct Candidate {
        uint64_t hash;
        std::array<uint64_t, 12> words;
        uint16_t ordinal;
        bool begins;
    };

    bool expand(uint32_t number, Outcome &outcome);
    void findStuck(Outcome &outcome);
    void tell(uint32_t number, bool andError, Outcome &outcome);

    Cluster &cluster_;
    Seen seen_;
    Frontier frontier_;
    Array<uint32_t> parents_;
    Array<uint16_t> ordinals_;
    Array<uint8_t> outs_; ///< how many of edges_ a state has; 255 a state of rest
    Array<uint32_t> edges_;
    std::vector<Successor> successors_;
    std::vector<Candidate> candidates_;
};
