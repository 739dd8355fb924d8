/*
 * Floating point of all processes: arithmetic, comparisons and conversions of operands of every class, the library's functions, a shared array that
 * is smoothed. It prints digests of the bits of all results, which depend neither on the number of processes nor on who calculates: the first and the
 * last are those of any machine with IEEE 754, the second those of this library.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <turnstile.h>

enum { CLASSES = 14, POINTS = 96, SWEEPS = 3 };

static struct shared {
    ts_barrier_t all;
    double values[2][POINTS];
} *shared;
static uint64_t digest;

static void take(uint64_t bits) { digest = (digest ^ bits) * 0x100000001b3; }

/* A NaN is a NaN: its sign and payload are the machine's. */
static void take_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    take(x != x ? 1 : bits);
}

static void take_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    take(x != x ? 1 : bits);
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double random_double(uint32_t *state)
{
    uint64_t high = *state = *state * 1664525 + 1013904223, low = *state = *state * 1664525 + 1013904223;
    return of_bits((high & 0x807fffff) << 32 | (0x3c0ull + (high >> 24 & 63)) << 52 | low);
}

static void pair(double a, double b)
{
    float f = (float)a, g = (float)b;
    take_double(a + b), take_double(a - b), take_double(a * b), take_double(a / b);
    take_float(f), take_float(f + g), take_float(f - g), take_float(f * g), take_float(f / g), take_double(f);
    take((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | (f < g) << 6 | (f == g) << 7 | (f >= g) << 8);
    if (fabs(a) < 2e9) take((uint64_t)(int32_t)a), take_double((int32_t)a), take_float((float)(uint32_t)(int32_t)a);
    if (fabs(b) < 9e18) take((uint64_t)(int64_t)b), take_double((double)(int64_t)b), take_float((float)(uint64_t)fabs(b));
}

static void arithmetic(void)
{
    double values[CLASSES] = {0, -0.0, of_bits(1), of_bits(0x800fffffffffffff), of_bits(0x10000000000000), 1, -1.5, 1e-30, 3e38, -1e308,
                              INFINITY, -INFINITY, NAN, 16777217};
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++) pair(values[i], values[j]);
    uint32_t state = 1;
    for (int i = 0; i < 300; i++) {
        double a = random_double(&state);
        pair(a, random_double(&state));
    }
}

static void library(void)
{
    for (int i = 0; i < 24; i++) {
        volatile double x = (i - 11) * 0.737, y = 1 / (i + 0.3);
        take_double(sin(x)), take_double(cos(x)), take_double(exp(x)), take_double(log(y)), take_double(pow(y, x)), take_double(atan2(x, y));
        take_double(sqrt(y)), take_double(sqrt(x)), take_float(sqrtf((float)y)), take_float(expf((float)x)), take_double(floor(x));
        char text[64];
        int n = snprintf(text, sizeof text, "%.17g %.3e %a", x, y, x);
        for (int k = 0; k < n; k++) take((unsigned char)text[k]);
    }
}

static void smooth(void)
{
    int n = ts_processes(), me = ts_self();
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const double *from = shared->values[sweep & 1];
        double *to = shared->values[~sweep & 1];
        for (int i = me; i < POINTS; i += n) to[i] = (from[(i + 1) % POINTS] + from[i] + from[(i + POINTS - 1) % POINTS]) / 3;
        ts_barrier(&shared->all, 0);
    }
}

int main(void)
{
    int n = ts_processes();

    unsigned long began = ts_clock();
    arithmetic();
    printf("arithmetic %016llx\n", (unsigned long long)digest);
    library();
    printf("library %016llx\n", (unsigned long long)digest);
    began = ts_clock() - began;

    shared = ts_alloc(sizeof *shared);
    ts_barrier_init(&shared->all, n);
    for (int i = 0; i < POINTS; i++) shared->values[0][i] = 1.0 / (i + 1);
    ts_create_all(smooth, n);
    ts_wait_for_end(n - 1);
    digest = 0;
    for (int i = 0; i < POINTS; i++) take_double(shared->values[SWEEPS & 1][i]);
    printf("smoothed %016llx\n", (unsigned long long)digest);
    printf("alone: %lu %s\n", began, ts_clock_unit);
    return 0;
}
