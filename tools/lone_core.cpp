/**
 * \file The speed of a simulation that is nothing but a processor: VexRiscv of the package, as it comes, with memory behind its two buses,
 * clocked up and down.
 *
 *     lone_core CYCLES
 *
 * Prints the words that its program counted and the cycles a second of processor time.
 */
#include "VVexRiscv.h"
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <verilated.h>

namespace {
/* x2 = 0x400; for (;;) { ++*x2; x3 += *x2; } */
const std::array<uint32_t, 6> program = {
    0x40000113, // addi x2, x0, 0x400
    0x00012083, // lw   x1, 0(x2)
    0x00108093, // addi x1, x1, 1
    0x00112023, // sw   x1, 0(x2)
    0x001181b3, // add  x3, x3, x1
    0xff1ff06f, // jal  x0, -16
};
std::array<uint32_t, 1024> memory;
} // namespace

int main(int argc, char **argv) {
    const uint64_t cycles = argc == 2 ? std::strtoull(argv[1], nullptr, 0) : 0;
    if (cycles == 0)
        return std::fprintf(stderr, "lone_core CYCLES: a number from 1\n"), 2;
    std::copy(program.begin(), program.end(), memory.begin());
    VerilatedContext context;
    VVexRiscv core(&context);
    core.reset = 1;
    const std::clock_t begin = std::clock();
    for (uint64_t cycle = 0; cycle < cycles; cycle++) {
        core.clk = 1;
        core.eval();
        core.reset = cycle < 4;
        core.iBusWishbone_ACK = core.iBusWishbone_CYC && core.iBusWishbone_STB;
        if (core.iBusWishbone_ACK)
            core.iBusWishbone_DAT_MISO = memory[core.iBusWishbone_ADR % memory.size()];
        core.dBusWishbone_ACK = core.dBusWishbone_CYC && core.dBusWishbone_STB;
        if (core.dBusWishbone_ACK) {
            uint32_t &word = memory[core.dBusWishbone_ADR % memory.size()];
            if (core.dBusWishbone_WE && cycle > 4)
                word = core.dBusWishbone_DAT_MOSI;
            core.dBusWishbone_DAT_MISO = word;
        }
        core.clk = 0;
        core.eval();
    }
    std::printf("%u %.0f\n", memory[0x400 / 4], double(cycles) * CLOCKS_PER_SEC / double(std::clock() - begin));
    return 0;
}
