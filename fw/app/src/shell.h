/** \file The shell on the console. */
#ifndef SHELL_H
#define SHELL_H
#include <stdbool.h>
#include <turnstile/console.h>

#ifdef CONFIG_SHELL
/** It gave way to events before its next line. */
extern bool shell_gives_way;
/** Whether its thread could go on: that, or somebody typed. */
static inline bool shell_wants_turn(void) { return turnstile_console_typed() || shell_gives_way; }
/** What was typed is the shell's. */
void shell_take(void);
#else
static inline bool shell_wants_turn(void) { return false; }
static inline void shell_take(void) {}
#endif
#endif
