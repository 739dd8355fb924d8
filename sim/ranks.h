/**
 * \file Processes that simulate one cluster together, each some of its sites (docs/design/ranks.md). All make the same calls in the same order, and
 * each gets the same answers. Here there is one; of several, sim/mpi knows how they speak.
 */
#pragma once
#include <cstdint>
#include <vector>

class Ranks {
public:
    using Bytes = std::vector<uint8_t>;

    virtual ~Ranks() = default;
    virtual unsigned count() const { return 1; }
    virtual unsigned number() const { return 0; }
    /** Once a cycle. Rank r gets to[r], and what it has for this rank comes in from[r]. */
    virtual void exchange(const std::vector<Bytes> &, std::vector<Bytes> &) {}
    /** Each value becomes the sum of those of all ranks. */
    virtual void add(std::vector<uint64_t> &) {}
    /** All get the bytes that rank `of` has. */
    virtual void give(unsigned, Bytes &) {}

    bool several() const { return count() > 1; }
    /** Of `sites` sites, in their order: those of a rank are firstOf(rank) to firstOf(rank + 1) - 1. */
    static unsigned firstOf(unsigned rank, unsigned ranks, unsigned sites) { return (rank * sites + ranks - 1) / ranks; }
    static unsigned partOf(unsigned site, unsigned ranks, unsigned sites) { return site * ranks / sites; }
};
