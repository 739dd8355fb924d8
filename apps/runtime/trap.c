/*
 * A trap of the aP: cause, PC, address, and the end of the program. Works on the small boot stack and prints without
 * printf, because the trap may be the stack's own exhaustion.
 */
#include "niu.h"
#include "runtime.h"
#ifdef TS_USER
#include "monitor.h"
#define WHO monitor_process()
#else
#define WHO self()
#endif

static void text(const char *s)
{
    while (*s) AP_REG(AP_CONSOLE) = (unsigned char)*s++;
}

static void hex(uint32_t value)
{
    text("0x");
    for (int shift = 28; shift >= 0; shift -= 4) AP_REG(AP_CONSOLE) = "0123456789abcdef"[value >> shift & 15];
}

static void decimal(uint32_t value)
{
    if (value > 9) decimal(value / 10);
    AP_REG(AP_CONSOLE) = '0' + value % 10;
}

static const char *const causes[] = {
    "instruction address misaligned", "instruction access fault", "illegal instruction", "breakpoint",
    "load address misaligned",        "load access fault",        "store address misaligned", "store access fault",
#ifdef TS_USER
    "environment call",
#endif
};

__attribute__((noreturn, used)) void trap(uint32_t cause, uint32_t pc, uint32_t address, uint32_t sp)
{
#ifdef TS_USER
    console_clip();
#endif
    console_end_line();
    text("process ");
    decimal(WHO);
    text(": trap: ");
    text(cause < sizeof causes / sizeof *causes ? causes[cause] : "unexpected");
    text(" (cause ");
    hex(cause);
    text(") at pc ");
    hex(pc);
    text(", address ");
    hex(address);
    text(", sp ");
    hex(sp);
    AP_REG(AP_CONSOLE) = '\n';
#ifdef __riscv_atomic
    if (cause == 2 && (*(const volatile uint16_t *)pc & 0x7f) == 0x2f) text("the program is for aPs with atomic instructions (rv32ima), this site has none: ATOMICS=1 makes both\n");
#endif
#ifdef TS_USER
    if (cause == CAUSE_ILLEGAL && pc < AP_PRIVATE_BASE + TS_PAGE) text("the program is for aPs with user mode, this site has none: USERMODE=1 makes both\n");
#endif
#ifdef __riscv_flen
    if (cause == 2 && (*(const volatile uint16_t *)pc & 0x7f) == 0x53) text("the program is for aPs with floating point (F and D), this site has none: FPU=1 makes both\n");
#endif
#ifdef TS_USER
    monitor_rule(cause, cause == CAUSE_FETCH ? pc : address, text);
#endif
    if (sp < (uint32_t)__stack_bottom) {
        text("process ");
        decimal(WHO);
        text(": stack exhausted: ");
        decimal((uint32_t)(__stack_top - __stack_bottom));
        text(" bytes are legal; use G_MALLOC or malloc for large arrays\n");
    }
    AP_REG(AP_EXIT) = TS_EXIT_TRAP;
    for (;;) {
    }
}
