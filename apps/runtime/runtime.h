/* Between the files of the aP's runtime. */
#ifndef TS_RUNTIME_H
#define TS_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void console_flush(void);
/* The half-written line, if there is one, as a line. */
void console_end_line(void);
void console_forget(void);
/* For machine mode: lengths that no line has, for the program wrote over them, become 0. */
void console_clip(void);
/* Text of stdout, or of stderr, at once. */
void console_write(int of_error, const char *text, size_t bytes);

/* Ends the run, for all processes, with this status. */
void machine_exit(int status) __attribute__((noreturn));

/* start.c: what is to be done when a process ends well; NULL: nothing. */
extern void (*before_end)(void);

/* link.ld; code and its size: with user mode */
extern char __stack_bottom[], __stack_top[], __worker_stack[], __private_start[], __private_end[], __bss_start[], __heap_start[];
extern char __code_start[], __code_bytes[];
extern char __globals_shared[] __attribute__((weak)); /* at 0 or 1, which gcc may not take as not 0 */
extern char __shared_start[], __shared_load[], __shared_load_end[], __shared_end[];

/* Of a program with GLOBALS=shared, in the shared heap; of others, a global. */
#define SHARED __attribute__((section(".bss.shared")))
static inline int globals_shared(void) { return (uintptr_t)__globals_shared != 0; }
enum { TS_THREAD_STACK = 64 << 10, TS_MAIN_STACK = 128 << 10 };

/* process.c */
void process_table_init(void);
/* The lowest free process, to be started; `ticket` is for process_wait. False: there is none. */
bool process_claim(uint32_t *process, uint32_t *ticket);
void process_start(uint32_t process, void (*entry)(void));
/* Until that use of the process has ended. */
void process_wait(uint32_t process, uint32_t ticket);
/* Waits for work and runs it; on the worker's stack, and again whenever a process has ended. */
void worker(void) __attribute__((noreturn));
void worker_ended(void) __attribute__((noreturn));

/* crt0.S: continues on @p stack in @p entry, from which there is no return. */
void jump_on_stack(void *stack, void (*entry)(void)) __attribute__((noreturn));

/* memory.c: end of the private heap in use. */
char *heap_break(void);

#endif
