/* A process that stores what it likes to its call and its console register. */
#include <stdio.h>
#include <turnstile.h>
#include <turnstile_call.h>

#include <niu_regs.h>

extern volatile struct tt_call __tt_call;
#define CONSOLE (*(volatile uint32_t *)(AP_BASE + AP_CONSOLE))

int main(void)
{
    static const uint32_t calls[][4] = {
        {0, 0, 0, 0}, {77, 1, 2, 3}, {TS_CALL_READ, 0, 0xffffffff, 0}, {TS_CALL_WRITE, 0, 0xffffffff, 0}, {TS_CALL_WRITE, 3, TS_CALL_BYTES + 1, 0},
        {TS_CALL_OPEN, TS_OPEN_READ, 0, 0}, {TS_CALL_OPEN, 0, 4, 0}, {TS_CALL_OPEN, 0xffffffff, 4, 0}, {TS_CALL_OPEN, TS_OPEN_READ, 0x80000000, 0},
        {TS_CALL_SEEK, 99, 0x80000000, 0}, {TS_CALL_SEEK, 0, 0, 7}, {TS_CALL_INHERIT, 0xffffffff, 0, 0}, {TS_CALL_INHERIT, 0, 0, 0}, {TS_CALL_CLOSE, 0x80000000, 0, 0},
    };

    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        __tt_call.number = calls[i][0];
        __tt_call.a = calls[i][1];
        __tt_call.b = calls[i][2];
        __tt_call.c = calls[i][3];
        __tt_call.answer = TS_CALL_PENDING;
        CONSOLE = TS_CONSOLE_CALL;
        while (__tt_call.answer == TS_CALL_PENDING) ts_relax();
        printf("%u: %ld\n", i, -(long)__tt_call.answer);
    }
    __tt_call.number = 77;
    for (int i = 0; i < 50; i++) CONSOLE = TS_CONSOLE_CALL; /* while one runs */
    __tt_call.answer = TS_CALL_PENDING;
    while (__tt_call.answer == TS_CALL_PENDING) ts_relax();
    printf("alive\n");
    return 0;
}
