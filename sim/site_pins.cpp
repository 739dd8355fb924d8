#include "site_pins.h"
#include "VSite__Syms.h" // all modules, whose names depend on the number of aPs

#if TURNSTILE_ATOMICS
#define ATOMICS(i) &m.io_probe_ap_##i##_found_valid, &m.io_probe_ap_##i##_found_payload
#else
#define ATOMICS(i) nullptr, nullptr
#endif

/* VexRiscv makes these public itself. */
#define CORE(i) &m.Site->aps_##i->core_cpu->lastStageIsFiring, &m.Site->aps_##i->core_cpu->lastStagePc, &m.Site->aps_##i->core_cpu->RegFilePlugin_regFile[0]

#define AP(i)                                                                                                                      \
    ApPins {                                                                                                                       \
        &m.io_probe_ap_##i##_missStart_valid, &m.io_probe_ap_##i##_missStart_payload_op, &m.io_probe_ap_##i##_missStart_payload_address, \
            &m.io_probe_ap_##i##_missDone_valid, &m.io_probe_ap_##i##_missDone_payload_address, &m.io_probe_ap_##i##_waiting_valid,   \
            &m.io_probe_ap_##i##_waiting_payload_op, &m.io_probe_ap_##i##_waiting_payload_address, &m.io_probe_ap_##i##_commit_valid, \
            &m.io_probe_ap_##i##_commit_payload_wr, &m.io_probe_ap_##i##_commit_payload_size, &m.io_probe_ap_##i##_commit_payload_address, \
            &m.io_probe_ap_##i##_commit_payload_data, ATOMICS(i), CORE(i)                                                          \
    }

std::vector<ApPins> apPins(VSite &m) {
    return {
        AP(0),
#if TURNSTILE_APS > 1
        AP(1),
#endif
#if TURNSTILE_APS > 2
        AP(2),
#endif
#if TURNSTILE_APS > 3
        AP(3),
#endif
    };
}

/* Verilator's names of what no Verilog attribute makes public. */
SpPins spPins(VSite &m) {
    const auto &sp = *m.Site->sp;
    const auto &core = *sp.processor_core->cpu;
    return {&core.lastStageIsFiring, &core.lastStagePc, &core.RegFilePlugin_regFile[0], &sp.__PVT__instructionRam[0],
            {&sp.__PVT__dataRam_symbol0[0], &sp.__PVT__dataRam_symbol1[0], &sp.__PVT__dataRam_symbol2[0], &sp.__PVT__dataRam_symbol3[0]}};
}
