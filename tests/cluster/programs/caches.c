/*
 * What the caches of an aP hold, found by time alone (issue 9): for each size and number of lines, the cycles of an access the second time.
 *     caches [MOST]
 * Prints "data BYTES CYCLES" and "fetch BYTES CYCLES" for areas up to MOST bytes (131072) whose lines lie one behind the other, "data-lines N CYCLES" and "fetch-lines N CYCLES" for N
 * lines 64 KB apart, which every cache of up to 64 KB keeps in one set. Cycles are tenths. A line of code is a return, called.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

enum { LINE = 64, APART = 64 << 10, MOST_LINES = 5, LEAST = 2 << 10, TIMES = 2, RETURN = 0x8067 };

static uint32_t area[MOST_LINES * APART / sizeof(uint32_t)] __attribute__((aligned(64 << 10)));

static void load(uint32_t *line) { (void)*(volatile uint32_t *)line; }
static void call(uint32_t *line) { ((void (*)(void))line)(); }

/* Tenths of cycles of one `access` of `count` lines, `step` bytes apart. The first time is not counted, and of few lines more: the instruction cache
 * replaces at random what is in its way, until all of them are in it. */
static __attribute__((noinline)) unsigned taken(void (*access)(uint32_t *), uint32_t *from, unsigned count, unsigned step)
{
    uint32_t start = 0;
    unsigned before = count <= MOST_LINES ? 64 : 1, time, i;
    for (time = 0; time < before + TIMES; time++) {
        if (time == before)
            start = ts_clock();
        for (i = 0; i < count; i++)
            access(from + i * (step / sizeof *from));
    }
    return (ts_clock() - start) * 10 / (TIMES * count);
}

static void measure(const char *name, void (*access)(uint32_t *), const void *own, unsigned most)
{
    /* not in a set of this code, nor of the stack */
    unsigned offset = ((uintptr_t)own + 512) % (4 << 10) / LINE * LINE, n;
    for (n = LEAST; n <= most; n *= 2)
        printf("%s %u %u\n", name, n, taken(access, area, n / LINE, LINE));
    for (n = 1; n <= MOST_LINES; n++)
        printf("%s-lines %u %u\n", name, n, taken(access, area + offset / sizeof *area, n, APART));
}

int main(int argc, char **argv)
{
    unsigned most = argc > 1 ? strtoul(argv[1], 0, 0) : 128 << 10, i;
    for (i = 0; i < sizeof area / sizeof *area; i += LINE / sizeof *area)
        area[i] = RETURN;
    measure("data", load, &i, most);
    measure("fetch", call, (const void *)(uintptr_t)taken, most);
    return 0;
}
