/* No fault: the handlers of a clean remote read say when they began, by the sP's own clock. */
#include "events.h"
#include "tempest.h"

static void say(const char *what, uint32_t a, uint32_t time) {
    while (*what)
        NIU_REG(NIU_CONSOLE) = (uint8_t)*what++;
    for (int i = 0; i < 16; i++)
        NIU_REG(NIU_CONSOLE) = (uint8_t)"0123456789abcdef"[(i < 8 ? a : time) >> (28 - 4 * (i % 8)) & 15];
    NIU_REG(NIU_CONSOLE) = '\n';
}

#define CLOCKED(handler)                            \
    tt_handler __real_##handler, __wrap_##handler;  \
    void __wrap_##handler(uint32_t a, uint32_t m) { \
        uint32_t time = NIU_REG(NIU_TIME_LO);       \
        __real_##handler(a, m);                     \
        say(#handler " ", a, time);                 \
    }

/* Spelt out, for the build finds here what to wrap: __wrap_stache_copy_read __wrap_stache_get_ro __wrap_stache_data_ro */
CLOCKED(stache_copy_read)
CLOCKED(stache_get_ro)
CLOCKED(stache_data_ro)
