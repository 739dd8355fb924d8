/** \file
 * What the cycles of an aP went for (BZ-38), from the instructions it completes and from what its data cache waits for. No
 * program is changed for it, and no cycle.
 */
#pragma once
#include "elf.h"
#include "memory_layout.h"
#include <array>
#include <vector>

class ApTime {
public:
    /**
     * LOCKS, BARRIERS, IDLE: from the first instruction of a function of the runtime (`functions` in ap_time.cpp) until it has returned, misses and messages
     * in it included; of nested ones the outermost counts. Else what the aP waits for: MESSAGES an uncached access, of queues and registers; misses of
     * the heap, wherever they are served, are SHARED. COMPUTING is the rest, and so misses of instructions.
     */
    enum Class : uint8_t { COMPUTING, PRIVATE_MISSES, SHARED_MISSES, MESSAGES, LOCKS, BARRIERS, IDLE, CLASSES };
    static const char *const names[CLASSES];
    using Cycles = std::array<uint64_t, CLASSES>;

    /** Where the functions of a program begin. */
    class Functions {
    public:
        explicit Functions(const Elf &program);
        /** COMPUTING: none begins at `pc`. */
        Class at(uint32_t pc) const {
            const uint32_t word = (pc - AP_PRIVATE_BASE) / 4;
            return word < begins_.size() ? begins_[word] : COMPUTING;
        }
        /** Where the function begins that stores what came with a message into a frame kept by software (apps/soft/engine.c); 0: none. */
        uint32_t copies() const { return copies_; }

    private:
        uint32_t copies_ = 0;
        std::vector<Class> begins_;
    };

    /** The instruction at `pc` is complete; `ra` is what register 1 holds. */
    void completed(const Functions &functions, uint32_t pc, uint32_t ra) {
        if (in_ != COMPUTING && pc == until_)
            in_ = COMPUTING;
        if (in_ == COMPUTING && functions.at(pc) != COMPUTING) {
            in_ = functions.at(pc);
            until_ = ra;
        }
        if (functions.copies()) {
            if (pc == functions.copies())
                copyUntil_ = ra;
            else if (pc == copyUntil_)
                copyUntil_ = 0;
        }
    }
    /** Whether it is in that function. */
    bool copies() const { return copyUntil_ != 0; }
    /** Cycle `number`, which belongs to the instruction that was completed last; `waits` for bus address `address`. */
    void cycle(uint64_t number, bool waits, uint32_t address, uint32_t heapBase) {
        Cycles &now = sums_[number & 1] = sums_[(number - 1) & 1];
        ++now[in_ != COMPUTING ? in_ : !waits ? COMPUTING : address >= AP_BASE ? MESSAGES : address >= heapBase ? SHARED_MISSES : PRIVATE_MISSES];
    }
    /** Of all cycles before `number`: the one that is simulated or that comes next. */
    const Cycles &before(uint64_t number) const { return sums_[(number - 1) & 1]; }

private:
    std::array<Cycles, 2> sums_{}; ///< by the cycle's number, odd or even: a mark of another site asks for the last one
    Class in_ = IDLE;              ///< in reset
    uint32_t copyUntil_ = 0; ///< address of the instruction that ends a copy; 0: none is made
    uint32_t until_ = AP_PRIVATE_BASE; ///< address of the instruction that is not in the function any more
};
