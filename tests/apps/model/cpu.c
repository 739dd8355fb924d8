/* rv32im, machine mode, with the traps the aP has: load and fetch fault, misaligned, illegal instruction, breakpoint, ecall. */
#include "cpu.h"

enum { FETCH_FAULT = 1, ILLEGAL = 2, BREAKPOINT = 3, LOAD_MISALIGNED = 4, LOAD_FAULT = 5, STORE_MISALIGNED = 6, ECALL = 11 };

static void trap(struct cpu *c, uint32_t cause, uint32_t value)
{
    c->mepc = c->pc;
    c->mcause = cause;
    c->mtval = value;
    c->pc = c->mtvec;
}

static uint32_t multiply(uint32_t f3, uint32_t a, uint32_t b)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;

    switch (f3) {
    case 0: return a * b;
    case 1: return (uint32_t)((uint64_t)((int64_t)sa * sb) >> 32);
    case 2: return (uint32_t)((uint64_t)((int64_t)sa * (int64_t)(uint64_t)b) >> 32);
    case 3: return (uint32_t)((uint64_t)a * b >> 32);
    case 4: return !b ? ~0u : a == 0x80000000u && sb == -1 ? a : (uint32_t)(sa / sb);
    case 5: return !b ? ~0u : a / b;
    case 6: return !b ? a : a == 0x80000000u && sb == -1 ? 0 : (uint32_t)(sa % sb);
    default: return !b ? a : a % b;
    }
}

static uint32_t arithmetic(uint32_t f3, bool alternative, uint32_t a, uint32_t b)
{
    switch (f3) {
    case 0: return alternative ? a - b : a + b;
    case 1: return a << (b & 31);
    case 2: return (int32_t)a < (int32_t)b;
    case 3: return a < b;
    case 4: return a ^ b;
    case 5: return alternative ? (uint32_t)((int32_t)a >> (b & 31)) : a >> (b & 31);
    case 6: return a | b;
    default: return a & b;
    }
}

static bool taken(uint32_t f3, uint32_t a, uint32_t b)
{
    bool result = (f3 & 4) == 0 ? a == b : (f3 & 2) ? a < b : (int32_t)a < (int32_t)b;

    return result != (f3 & 1);
}

static uint32_t *csr(struct cpu *c, uint32_t number)
{
    switch (number) {
    case 0x305: return &c->mtvec;
    case 0x341: return &c->mepc;
    case 0x342: return &c->mcause;
    case 0x343: return &c->mtval;
    default: return 0;
    }
}

static bool load(struct cpu *c, uint32_t f3, uint32_t address, uint32_t *value)
{
    int bytes = 1 << (f3 & 3);

    if (address % (uint32_t)bytes) return trap(c, LOAD_MISALIGNED, address), false;
    if (!bus_load(c, address, bytes, value)) return trap(c, LOAD_FAULT, address), false;
    if (f3 == 0) *value = (uint32_t)(int8_t)*value;
    if (f3 == 1) *value = (uint32_t)(int16_t)*value;
    return true;
}

void cpu_step(struct cpu *c)
{
    uint32_t i, next = c->pc + 4, value = 0;

    c->instructions++;
    if (!bus_load(c, c->pc, 4, &i)) return trap(c, FETCH_FAULT, c->pc);
    uint32_t rd = i >> 7 & 31, f3 = i >> 12 & 7, f7 = i >> 25, a = c->x[i >> 15 & 31], b = c->x[i >> 20 & 31];
    uint32_t imm = (uint32_t)((int32_t)i >> 20);

    switch (i & 0x7f) {
    case 0x37: value = i & 0xfffff000; break;
    case 0x17: value = c->pc + (i & 0xfffff000); break;
    case 0x6f:
        value = next;
        next = c->pc + (uint32_t)(((int32_t)i >> 31) << 20 | (int32_t)((i & 0xff000) | (i >> 9 & 0x800) | (i >> 20 & 0x7fe)));
        break;
    case 0x67: value = next; next = (a + imm) & ~1u; break;
    case 0x63:
        rd = 0;
        if (taken(f3, a, b))
            next = c->pc + (uint32_t)(((int32_t)i >> 31) << 12 | (int32_t)((i << 4 & 0x800) | (i >> 20 & 0x7e0) | (i >> 7 & 0x1e)));
        break;
    case 0x03:
        if (!load(c, f3, a + imm, &value)) return;
        break;
    case 0x23: {
        uint32_t address = a + (uint32_t)(((int32_t)i >> 25) << 5 | (int32_t)rd);
        rd = 0;
        if (address % (1u << f3)) return trap(c, STORE_MISALIGNED, address);
        bus_store(c, address, 1 << f3, b);
        break;
    }
    case 0x13: value = arithmetic(f3, f3 == 5 && f7 == 0x20, a, imm); break;
    case 0x33: value = f7 == 1 ? multiply(f3, a, b) : arithmetic(f3, f7 == 0x20, a, b); break;
    case 0x0f: rd = 0; break;
    case 0x73: {
        uint32_t *r = csr(c, i >> 20);
        if (i == 0x00100073) return trap(c, BREAKPOINT, c->pc);
        if (i == 0x00000073) return trap(c, ECALL, 0);
        if (!r || f3 == 0) return trap(c, ILLEGAL, i);
        uint32_t operand = f3 & 4 ? i >> 15 & 31 : a;
        value = *r;
        if ((f3 & 3) == 1) *r = operand;
        else if ((f3 & 3) == 2) *r |= operand;
        else *r &= ~operand;
        break;
    }
    default: return trap(c, ILLEGAL, i);
    }
    if (rd) c->x[rd] = value;
    c->pc = next;
}
