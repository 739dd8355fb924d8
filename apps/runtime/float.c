/*
 * What gcc's library does for floating point without instructions, by the instructions: with FPU=1 the libraries are those of programs without
 * (their sin() and printf() call these), so that every answer is the same. Each is one instruction; arguments come in integer registers.
 */
#ifdef __riscv_flen
#include <stdint.h>

#define CALCULATE(name, type, expression) \
    type name(type a, type b);            \
    type name(type a, type b) { return expression; }
/* Below, at or above 0 as a is of b; `unordered` where there is no answer. */
#define COMPARE(name, type, relation, holds, fails) \
    int name(type a, type b);                       \
    int name(type a, type b) { return a relation b ? holds : fails; }
#define CONVERT(name, from, to) \
    to name(from a);            \
    to name(from a) { return (to)a; }

CALCULATE(__addsf3, float, a + b)
CALCULATE(__subsf3, float, a - b)
CALCULATE(__mulsf3, float, a * b)
CALCULATE(__divsf3, float, a / b)
CALCULATE(__adddf3, double, a + b)
CALCULATE(__subdf3, double, a - b)
CALCULATE(__muldf3, double, a * b)
CALCULATE(__divdf3, double, a / b)
COMPARE(__eqsf2, float, ==, 0, 1)
COMPARE(__nesf2, float, ==, 0, 1)
COMPARE(__ltsf2, float, <, -1, 1)
COMPARE(__lesf2, float, <=, 0, 1)
COMPARE(__gtsf2, float, >, 1, -1)
COMPARE(__gesf2, float, >=, 0, -1)
COMPARE(__eqdf2, double, ==, 0, 1)
COMPARE(__nedf2, double, ==, 0, 1)
COMPARE(__ltdf2, double, <, -1, 1)
COMPARE(__ledf2, double, <=, 0, 1)
COMPARE(__gtdf2, double, >, 1, -1)
COMPARE(__gedf2, double, >=, 0, -1)
CONVERT(__floatsisf, int32_t, float)
CONVERT(__floatunsisf, uint32_t, float)
CONVERT(__floatsidf, int32_t, double)
CONVERT(__floatunsidf, uint32_t, double)
CONVERT(__fixsfsi, float, int32_t)
CONVERT(__fixunssfsi, float, uint32_t)
CONVERT(__fixdfsi, double, int32_t)
CONVERT(__fixunsdfsi, double, uint32_t)
CONVERT(__extendsfdf2, float, double)
CONVERT(__truncdfsf2, double, float)
#endif
