/** \file How the DRAM of a site is divided: MemoryLayout of the RTL (contract §1). */
#pragma once
#include "niu_regs.h"
#include <algorithm>
#include <cstdint>

struct MemoryLayout {
    uint32_t bytes = MEMORY_DEFAULT_BYTES;      ///< all of it
    uint32_t heapBytes = bytes / 2;             ///< shared heap and the system's part behind it
    uint32_t privateBytes = AP_PRIVATE_BYTES;   ///< window of an aP

    uint32_t end() const { return MEMORY_BASE + bytes; }
    uint32_t heapBase() const { return end() - heapBytes; }
    uint32_t heapEnd() const { return end() - std::max(heapBytes / 8, SYSTEM_BYTES); }
    bool inHeap(uint32_t address) const { return address >= heapBase() && address < heapEnd(); }
    /** Bus address of what aP `ap` has at `address` of its private window. */
    uint32_t ofPrivate(unsigned ap, uint32_t address) const { return MEMORY_BASE + ap * privateBytes + (address - AP_PRIVATE_BASE); }
};
