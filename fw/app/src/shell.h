/** \file The shell on the console. */
#ifndef SHELL_H
#define SHELL_H
#include <stdbool.h>

/** Whether the shell's thread can go on: somebody typed, or it gave way to events before its next line. */
#ifdef CONFIG_SHELL
bool shell_wants_turn(void);
#else
static inline bool shell_wants_turn(void) { return false; }
#endif
#endif
