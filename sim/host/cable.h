/** \file A cable between two cards, or none: what the MAC of one sends comes to the other, in order and at once. */
#pragma once
#include <vector>

class VSite;

class Cable {
public:
    /** Cards that have wires, one or two; none: cards that have links, which need no cable. */
    explicit Cable(std::vector<VSite *> cards) : cards_(std::move(cards)) {}

    /** Of the MACs' clocks. */
    void reset(bool on);
    /** A cycle of them. */
    void cycle();

private:
    std::vector<VSite *> cards_;
};
