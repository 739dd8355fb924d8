/* What user mode forbids, one thing a run: ARGS=NAME [PROCESS]. Prints where, for the test, then tries; a line "went on" when it was let. */
#include <niu_regs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turnstile.h>
#include <turnstile_job.h>

extern const volatile struct tt_memory __tt_memory;

static volatile uint32_t global;
static uint32_t code[2] = {0x00000013, 0x00008067}; /* nop; ret */

#define AT(address) (*(volatile uint32_t *)(uintptr_t)(address))

static void load(uint32_t address)
{
    printf("at 0x%08lx\n", (unsigned long)address);
    fflush(stdout);
    global = AT(address);
}

static void store(uint32_t address)
{
    printf("at 0x%08lx\n", (unsigned long)address);
    fflush(stdout);
    AT(address) = 0;
    global = AT(AP_BASE + AP_TIME_LO); /* an uncached load: the store is over */
}

static void jump(const void *address)
{
    printf("at %p\n", address);
    fflush(stdout);
    ((void (*)(void))address)();
}

static void mtvec(void) { __asm__ volatile("csrw mtvec, %0" : : "r"(code)); }
static void pmp(void) { __asm__ volatile("csrw pmpcfg0, %0" : : "r"(-1)); }
static void pmp_read(void) { __asm__ volatile("csrr %0, pmpaddr2" : "=r"(global)); }
static void mstatus(void) { __asm__ volatile("csrs mstatus, %0" : : "r"(3 << 11)); }
static void mret(void) { __asm__ volatile("mret"); }
static void ecall(void) { __asm__ volatile("ecall"); }

static void monitor_load(void) { load(AP_PRIVATE_BASE + 0xff8); }
static void monitor_store(void) { store(AP_PRIVATE_BASE); }
static void monitor_code(void) { jump((void *)AP_PRIVATE_BASE); }
static void code_store(void) { store((uint32_t)mtvec); }
static void constant_store(void) { store((uint32_t)&__tt_memory); }
static void data_code(void) { jump(code); }
static void heap_code(void)
{
    uint32_t *page = ts_alloc(sizeof code);

    memcpy(page, code, sizeof code);
    jump(page);
}
static void window_code(void) { jump((void *)AP_BASE); }
static void dram(void) { load(MEMORY_BASE + 0x80000); } /* of an aP's private window, its own or not, as the bus has it */
static void dram_store(void) { store(MEMORY_BASE); }
static void firmware(void) { load(__tt_memory.heap_end); }
static void firmware_store(void) { store(__tt_memory.heap_end + 0x80000); }
static void nothing(void) { load(0x20000000); }
static void nothing_store(void) { store(0xe0000000); }
static void sp_registers(void) { store(NIU_BASE); }
static void foreign_queue(void) { load(AP_EXPRESS_RX_BASE + AP_PAGE_BYTES * 0); } /* the sP's: the NIU refuses, not protection */

static int deeper(int n)
{
    volatile char room[4096];

    room[0] = (char)n;
    return n == 0 ? 0 : deeper(n - 1) + room[0];
}
static void stack(void) { global = (uint32_t)deeper(1 << 20); }

/* All that the runtime keeps where a program can write, then a trap: who trapped is said all the same, and rightly. */
static void scribble(void)
{
    extern char __private_start[], __bss_start[], __private_end[];
    extern struct own { uint32_t of[5]; } ts_own;

    fflush(stdout);
    memset(&ts_own, 0xff, sizeof ts_own);
    for (char *p = __private_start; p < __private_end; p++) *p = (char)0xff;
    AT(AP_PRIVATE_BASE) = 0;
}

/* What a program may: its arguments, its stack, malloc, the heap, its windows, the counter of cycles. */
static void legal(void)
{
    uint32_t *private = malloc(64), *shared = ts_alloc(64), cycle;
    volatile uint32_t local = 1;

    __asm__ volatile("rdcycle %0" : "=r"(cycle));
    private[0] = shared[0] = local + AT(AP_BASE + AP_TIME_LO) + cycle;
    printf("legal: %s\n", private[0] == shared[0] && cycle ? "correct" : "wrong");
}

#ifdef __riscv_atomic
static void amo(void) { __atomic_fetch_add((uint32_t *)mtvec, 1, __ATOMIC_SEQ_CST); }
#endif
#ifdef __riscv_flen
static void fsd(void) { *(volatile double *)((uintptr_t)mtvec & ~7u) = 1.0; }
static void fld(void) { global = *(volatile double *)(AP_PRIVATE_BASE + 0x10) > 0; }
static void fld_across(void)
{
    double value;

    __asm__ volatile("fld %0, -4(%1)" : "=f"(value) : "r"(__tt_memory.heap_end)); /* its upper word is the firmware's */
    global = value > 0;
}
#endif

#define ENTRY(name) {#name, name}
static const struct { const char *name; void (*call)(void); } all[] = {
    ENTRY(mtvec), ENTRY(pmp), ENTRY(pmp_read), ENTRY(mstatus), ENTRY(mret), ENTRY(ecall), ENTRY(monitor_load), ENTRY(monitor_store), ENTRY(monitor_code), ENTRY(code_store),
    ENTRY(constant_store), ENTRY(data_code), ENTRY(heap_code), ENTRY(window_code), ENTRY(dram), ENTRY(dram_store), ENTRY(firmware), ENTRY(firmware_store), ENTRY(nothing),
    ENTRY(nothing_store), ENTRY(sp_registers), ENTRY(foreign_queue), ENTRY(stack), ENTRY(scribble), ENTRY(legal),
#ifdef __riscv_atomic
    ENTRY(amo),
#endif
#ifdef __riscv_flen
    ENTRY(fsd), ENTRY(fld), ENTRY(fld_across),
#endif
};

static const char *asked;

static void attempt(void)
{
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, asked) == 0) all[i].call();
    printf("process %d went on\n", ts_self());
}

int main(int argc, char **argv)
{
    int elsewhere = argc > 2;

    if (argc < 2) return 1;
    argv[1][0] += 0; /* arguments are the program's to write */
    asked = argv[1];
    if (elsewhere) ts_create(attempt);
    else attempt();
    ts_wait_for_end(elsewhere);
    return 0;
}
