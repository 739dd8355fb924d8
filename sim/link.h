/** \file One end of a link of the network: pins of a Verilated model, or plain storage. */
#pragma once
#include <cstdint>

/** Contract §6: a flit a cycle one way, a credit pulse for each virtual channel the other way, all of them registers. */
struct LinkPins {
    uint8_t *valid, *last, *vc;
    uint64_t *data;
    uint8_t *credit; ///< bit v: virtual channel v
};

/** Storage for an end without a model. */
struct LinkWords {
    uint8_t valid = 0, last = 0, vc = 0, credit = 0;
    uint64_t data = 0;
    LinkPins pins() { return {&valid, &last, &vc, &data, &credit}; }
};

/** The pins of a link of a model, by the name that Verilator gives its port. */
#define LINK_PINS(model, name) \
    LinkPins { &(model).name##_flit_valid, &(model).name##_flit_payload_last, &(model).name##_flit_payload_vc, &(model).name##_flit_payload_data, &(model).name##_credit }
