/* An rv32im aP without timing: one instruction a step. */
#ifndef CPU_H
#define CPU_H

#include <stdbool.h>
#include <stdint.h>

struct cpu {
    uint32_t x[32], pc, mtvec, mepc, mcause, mtval;
    uint64_t instructions;
    int number; /* of the aP, over all sites */
};

void cpu_step(struct cpu *cpu);

/* The machine around it. `address` is aligned to `bytes` (1, 2, 4). A load that no memory answers is false, and traps; such
   a store is lost, and reported to the sP. */
bool bus_load(struct cpu *cpu, uint32_t address, int bytes, uint32_t *value);
void bus_store(struct cpu *cpu, uint32_t address, int bytes, uint32_t value);

#endif
