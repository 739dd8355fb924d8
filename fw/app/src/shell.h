/** \file The shell on the console. */
#ifndef SHELL_H
#define SHELL_H
#include <stdbool.h>

/** Whether the shell's thread is ready: somebody typed, or it gave way to events before its next line. */
#ifdef CONFIG_SHELL
bool shell_ready(void);
#else
static inline bool shell_ready(void) { return false; }
#endif
#endif
