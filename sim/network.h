/** \file The Verilated fat tree of a cluster of two or more sites. */
#pragma once
#include "site.h"

class VFatTree;

class Network {
public:
    Network(VerilatedContext *context, unsigned sites);
    ~Network();
    /** Before the clock edge: every link's outputs to the inputs at its other end. All come from registers. */
    void before(std::vector<std::unique_ptr<Site>> &sites);
    void edge();
    void after();
    uint64_t crcErrors() const;
    VFatTree *model() { return model_.get(); }
    uint64_t flits = 0; ///< moved in all, a sign of life

private:
    struct Pins;
    std::unique_ptr<VFatTree> model_;
    std::unique_ptr<std::vector<Pins>> pins_;
};
