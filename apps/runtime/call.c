/* Host calls: the process asks through its console register, the workstation answers in the process's own memory. */
#include "call.h"

#include <errno.h>
#include <turnstile.h>

#include "niu.h"

struct tt_call __tt_call __attribute__((section(".call"), aligned(64)));

int32_t host_call(uint32_t number, uint32_t a, uint32_t b, uint32_t c)
{
    volatile struct tt_call *call = &__tt_call;

    call->number = number;
    call->a = a;
    call->b = b;
    call->c = c;
    call->answer = TS_CALL_PENDING;
    ts_fence();
    AP_REG(AP_CONSOLE) = TS_CONSOLE_CALL;
    while (call->answer == TS_CALL_PENDING) ts_relax();
    ts_fence();
    int32_t answer = (int32_t)call->answer;
    if (answer >= 0) return answer;
    errno = -answer;
    return -1;
}
