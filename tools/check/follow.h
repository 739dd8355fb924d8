/** \file Whether a conducted run of the RTL (sim/conductor.h) is one of the runs that the model allows. */
#pragma once
#include "cluster.h"
#include <istream>

class Follow {
public:
    explicit Follow(Cluster &cluster) : cluster_(cluster) {}

    struct Outcome {
        unsigned choices = 0, seen = 0; ///< that were followed
        size_t most = 0;                ///< states that the RTL may have been in at a time
        std::string error;              ///< empty: the model allows all that was seen
        std::vector<State> last;        ///< with `error`: states that the model was in before
        std::string broken;             ///< a promise that the model saw broken on the same way, the first one; what the RTL did then is not compared
    };
    /** Reads what the simulator wrote (docs/reference/formats.md), up to the first thing that the model does not know, or broken promise. */
    Outcome run(std::istream &in);

    /** A step as the choice of a plan; empty: it happens by itself. */
    static std::string choiceOf(const Step &step, unsigned site, unsigned from, unsigned channel);
    /** Whether nothing more happens by itself. */
    static bool rests(Cluster &cluster, const State &s);

private:
    struct Choice {
        Act act = Act::NONE; ///< NONE: the sP takes a message
        unsigned site = 0, ap = 0, cell = 0, from = 0, channel = 0;
        std::string text;
    };
    /** What stands at rest, as words that are compared one by one. */
    using Sight = std::vector<std::string>;
    struct Place {
        State state;
        unsigned left; ///< choices not yet made, a bit each
    };

    enum : int { MAY = -2 };
    Choice choice(std::istream &line) const;
    /** States at rest after the choices, in every order, with all that sites do by themselves. */
    std::vector<State> after(const std::vector<State> &from, const std::vector<Choice> &choices);
    void step(const Place &at, const std::vector<Choice> &choices, std::vector<Place> &next, bool &rests);
    int chosen(const Place &at, const Successor &step, const std::vector<Choice> &choices);
    Sight sight(const State &s) const;

    Cluster &cluster_;
    std::string broken_; ///< a promise that the model saw broken on the way
};
