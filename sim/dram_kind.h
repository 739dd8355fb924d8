/** \file DRAMs of the boards, and the controllers in front of them, in numbers. Sources: docs/design/dram.md. */
#pragma once
#include <cstdint>
#include <string>
#include <vector>

/** One channel. Times in ps, those of JEDEC before they are rounded to whole tCK. */
struct DramKind {
    const char *name, *title;
    unsigned banks, groups; ///< banks of all groups
    uint32_t rowBytes;      ///< that one activate opens, of the whole channel
    uint32_t burstBytes;    ///< that one read or write command moves
    uint64_t tCK, tBurst;   ///< clock; data of one command on the bus
    uint64_t tCL, tCWL, tRCD, tRCDWR, tRP, tRAS;
    uint64_t tRRD_S, tRRD_L, tFAW; ///< activates: of another bank group, of the same, of any four
    uint64_t tCCD_S, tCCD_L;       ///< columns
    uint64_t tWTR_S, tWTR_L, tRTP, tWR;
    uint64_t tRFC, tREFI;
    uint64_t controller;      ///< from its AXI port to the command and back, beside tCL and tBurst, of an access that nothing holds up
    uint64_t controllerClock; ///< period of that port
};

extern const std::vector<DramKind> dramKinds;
/** Null: none is called so. */
const DramKind *dramKind(const std::string &name);
/** Between commas, for who asked for another. */
std::string dramKindNames();
