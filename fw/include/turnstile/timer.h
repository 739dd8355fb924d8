/** \file The system clock of an sP, which has no interrupt (binding turnstile,timer). */
#ifndef TURNSTILE_TIMER_H
#define TURNSTILE_TIMER_H
#include <stdbool.h>

/** Runs what is due; returns whether there was anything, after which threads may be ready. A dozen cycles when there was not. */
bool turnstile_timer_poll(void);
#endif
