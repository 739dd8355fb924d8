/** \file The console of an sP, which has no interrupt (binding turnstile,console). */
#ifndef TURNSTILE_CONSOLE_H
#define TURNSTILE_CONSOLE_H
#include <stdbool.h>

/** Whether the host typed something that nobody took yet. */
bool turnstile_console_typed(void);
/** Hands it to whom the UART's callback belongs, as its interrupt would. */
void turnstile_console_deliver(void);
#endif
