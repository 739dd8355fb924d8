/** \file The console of an sP, which has no interrupt (binding turnstile,console). */
#ifndef TURNSTILE_CONSOLE_H
#define TURNSTILE_CONSOLE_H
#include <stdbool.h>
#include <stdint.h>

enum { TURNSTILE_TYPED_MOST = 60 };

/** The host writes the text, then how long it is; the sP takes it and writes 0. */
extern volatile struct turnstile_typed {
    uint32_t length;
    char text[TURNSTILE_TYPED_MOST];
} console_typed;

/** Whether the host typed something that nobody took yet. */
static inline bool turnstile_console_typed(void) { return console_typed.length != 0; }
/** Hands it to whom the UART's callback belongs, as its interrupt would. */
void turnstile_console_deliver(void);
#endif
