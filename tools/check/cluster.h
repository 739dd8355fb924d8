/** \file
 * The state of the whole cluster: a number for each site's state, a number for what is on its way in each channel of each pair. What
 * follows from a site's state, and from a message to it, is computed once and looked up afterwards: handlers are functions of the site's
 * state alone. docs/design/checker.md.
 */
#pragma once
#include "site.h"
#include "store.h"
#include <array>

/** Messages of a pair and a channel, oldest first; number 0 is the empty queue. */
struct Queue {
    std::vector<uint16_t> messages;
    unsigned data = 0; ///< of them, how many hold a slot when they have come
};

/** As bytes of fixed length: site numbers, then queue numbers [channel][from][to]; padded to whole 8-byte words. */
struct State {
    uint32_t site[MOST_SITES];
    uint16_t queue[2 * MOST_SITES * MOST_SITES];
};

/** A step of the cluster, before its sites change places. */
struct Successor {
    State state;
    Kind kind;
    uint8_t site, from, channel; ///< `from`, `channel` of a MESSAGE
    uint16_t ordinal;            ///< among the site's steps of this kind of call
    bool begins;
    uint32_t error; ///< 0, or a number for errorText()
};

class Cluster {
public:
    Cluster();
    State initial();
    size_t words() const { return words_; }
    /** The bytes that count, for hash and queue. */
    void pack(const State &s, uint64_t *words) const;
    State unpack(const uint64_t *words) const;

    /** All that can happen; sites stay where they are. */
    void successors(const State &s, std::vector<Successor> &list);
    /** The least of the states that differ from this one only by which of the sites that are no one's home is which. */
    State canonical(const State &s);
    unsigned renamings() const { return unsigned(renamings_.size()) + 1; }
    /** Nothing under way. `error`: what is left over all the same. */
    bool rest(const State &s, uint32_t &error);
    /** Whether the parallel phase may begin. */
    bool mayBeginParallel(const State &s) const;

    const std::string &errorText(uint32_t error) const { return errors_[error]; }
    /** The step that made `next` of `s`, with its words, by doing it again. */
    Step retrace(const State &s, const Successor &next);
    const Site &site(uint32_t number) const { return sites_[number]; }
    const Queue &queue(uint32_t number) const { return queues_[number]; }
    const Message &message(uint16_t number) const { return messages_[number]; }
    size_t siteStates() const { return sites_.size(); }
    /** The most high messages and slots that were ever on their way to a site or in it. */
    unsigned mostEvents() const { return mostEvents_; }
    unsigned mostSlots() const { return mostSlots_; }

private:
    struct Out {
        uint8_t channel, to;
        uint16_t message;
    };
    /** A step of one site, by numbers. */
    struct Result {
        uint32_t site, error, outs;
        uint16_t out;
        int8_t stored;
        Kind kind;
        bool begins;
    };
    struct Results {
        uint32_t first = 0, count = ~0u;
    };
    /** What is known of a site's state. */
    struct Known {
        Results own;
        uint8_t rights[MOST_CELLS];
        uint8_t slots;
        int8_t quiet; ///< -1 not known, 0, 1
        uint32_t restError;
        uint32_t old[MOST_CELLS]; ///< the state after another site's store; ~0 not known
    };
    struct Pair {
        uint64_t key = 0;
        Results results;
    };

    uint32_t siteNumber(const Site &s);
    uint16_t messageNumber(const Message &m);
    uint16_t queueNumber(const std::vector<uint16_t> &messages);
    uint32_t errorNumber(const std::string &text);
    Results keep(const std::vector<Step> &steps);
    Results own(uint32_t site);
    Results taken(uint32_t site, unsigned from, unsigned channel, uint16_t message);
    uint32_t oldSite(uint32_t site, unsigned cell);
    uint16_t oldQueue(uint16_t queue, unsigned cell);
    uint16_t pushed(uint16_t queue, uint16_t message);
    uint16_t popped(uint16_t queue);
    uint32_t renamedSite(unsigned renaming, uint32_t site);
    uint16_t renamedQueue(unsigned renaming, uint16_t queue);
    void apply(const State &s, unsigned at, const Result &r, Successor &next);
    void answer(unsigned home, unsigned to, unsigned ap, Successor &next);
    uint32_t check(const State &s, unsigned at);
    uint32_t invariants(const State &s);
    unsigned queueIndex(unsigned channel, unsigned from, unsigned to) const { return (channel * config.sites + from) * config.sites + to; }

    struct SiteHash {
        size_t operator()(const Site &s) const {
            uint64_t words[(sizeof(Site) + 7) / 8] = {};
            std::memcpy(words, &s, sizeof s);
            return hashWords(words, sizeof words / 8);
        }
    };
    struct Renaming {
        std::array<uint8_t, MOST_SITES> to, from;
        std::vector<uint32_t> sites;
        std::vector<int32_t> queues;
    };

    size_t words_;
    std::vector<Site> sites_;
    std::vector<Known> known_;
    std::unordered_map<Site, uint32_t, SiteHash> siteNumbers_;
    std::vector<Message> messages_;
    std::vector<Queue> queues_;
    std::unordered_map<std::string, uint16_t> queueNumbers_;
    std::vector<uint16_t> popped_;
    std::vector<std::vector<int32_t>> pushed_;
    std::vector<std::array<int32_t, MOST_CELLS>> oldQueues_;
    std::vector<std::string> errors_{""};
    std::vector<Result> results_;
    std::vector<Out> outs_;
    std::vector<Pair> pairs_;
    size_t pairCount_ = 0;
    std::vector<Renaming> renamings_; ///< all but the one that changes nothing
    unsigned mostEvents_ = 0, mostSlots_ = 0;
};
