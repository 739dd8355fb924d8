/**
 * \file The clock of a Verilated model. Without waveforms every register takes both of its edges (tools/sim-build), so that a cycle is one
 * evaluation; with them it rises and falls, as in hardware.
 */
#pragma once

/** Before the first edge: so that it is one. */
template <typename Model> void clockStill(Model &model) {
    model.clk = 0;
    model.eval();
}

template <typename Model> void clockEdge(Model &model) {
    model.clk = VM_TRACE ? 1 : !model.clk;
    model.eval();
}

/** The second half of the cycle. */
template <typename Model> void clockFall([[maybe_unused]] Model &model) {
#if VM_TRACE
    model.clk = 0;
    model.eval();
#endif
}
