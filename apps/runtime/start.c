/* From reset to main, and from exit to the end of the process (BZ-39). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <turnstile.h>

#include "../common/platform.h"
#include "call.h"
#include "niu.h"
#include "runtime.h"
#ifdef TS_SOFT
#include "../soft/soft.h"
#endif

/* In the boot page, outside what CREATE copies: the loader gave them to every aP. */
extern struct tt_args __tt_args;
/* A program's main may be declared in any old way. */
extern int main(int argc, char **argv, char **environment);

void machine_exit(int status)
{
    console_flush();
    AP_REG(AP_EXIT) = (uint32_t)status;
    for (;;) {
    }
}

void (*before_end)(void);

void _exit(int status)
{
    if (before_end) before_end();
    /* A process that fails ends the program: the others would wait for it for ever. */
    if (ts_self() == 0 || status != 0) machine_exit(status);
    console_flush();
    files_forget();
    worker_ended();
}

static void run_main(void)
{
    static char name[] = "program";
    int argc = (int)__tt_args.argc;
    char *string = __tt_args.text, *argv[argc + 2]; /* on the stack: CREATE copies what is in use of it, not a maximum */

    for (int i = 0; i < argc; i++, string += strlen(string) + 1) argv[i] = string;
    if (argc == 0) argv[argc++] = name;
    argv[argc] = NULL;
    exit(main(argc, argv, argv + argc));
}

/* Process 0, before all. */
static void prepare(void)
{
    process_table_init();
    if (globals_shared()) {
        memcpy(__shared_start, __shared_load, (size_t)(__shared_load_end - __shared_load));
        memset(__shared_start + (__shared_load_end - __shared_load), 0, (size_t)(__shared_end - __shared_start - (__shared_load_end - __shared_load)));
    }
    ts_heap_init();
    jump_on_stack(globals_shared() ? (char *)ts_alloc(TS_MAIN_STACK) + TS_MAIN_STACK : __stack_top, run_main);
}

__attribute__((noreturn, used)) void start(void)
{
    own_init();
#ifdef TS_SOFT
    soft_init();
#endif
    if (self() == 0) jump_on_stack(__stack_top, prepare);
    worker();
}
