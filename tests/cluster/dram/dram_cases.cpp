/**
 * \file The simulator's DRAM alone.
 *
 *     dram_cases KIND MHZ < ACCESSES
 *
 * A line an access, `r` or `w`, cycle, address, bytes, by their cycles. Prints a line an answer: `r` and the number of the access, or `w`, then
 * the cycle; at last the counts.
 */
#include "dram.h"
#include <cstdio>
#include <cstdlib>

static void tell(Dram &dram, uint64_t cycle) {
    for (const Dram::Answer &a : dram.decide(cycle))
        std::printf("%c %llu %llu\n", a.write ? 'w' : 'r', (unsigned long long)a.tag, (unsigned long long)a.cycle);
}

int main(int argc, char **argv) {
    const DramKind *kind = argc == 3 ? dramKind(argv[1]) : nullptr;
    if (!kind)
        return std::fprintf(stderr, "dram_cases %s MHZ\n", dramKindNames().c_str()), 2;
    Dram dram(*kind, std::atoi(argv[2]), 0);
    dram.count(0, true);
    unsigned long long number = 0, cycle = 0;
    char what;
    unsigned address, bytes;
    for (; std::scanf(" %c %llu %x %u", &what, &cycle, &address, &bytes) == 4; number++) {
        tell(dram, cycle);
        if (what == 'w')
            dram.write(cycle, address, bytes);
        else
            dram.read(cycle, address, bytes, number);
    }
    tell(dram, cycle + 1'000'000'000 / kind->tCK);
    const Dram::Counts &c = dram.counts();
    std::printf("counts %llu %llu %llu %llu %llu\n", (unsigned long long)c.hits, (unsigned long long)c.misses, (unsigned long long)c.conflicts, (unsigned long long)c.refreshes, (unsigned long long)c.turns);
}
