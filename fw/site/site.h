/** \file What an image of the sP, bare or Zephyr's, starts and is asked for. */
#ifndef SITE_H
#define SITE_H
#include "protocol.h"
#include <stdint.h>

/** Tables, queues, names; the aPs begin. Before dispatch(). */
void firmware_init(void);
/** Takes events and calls their handlers, for ever (dispatch.S). */
void dispatch(void) __attribute__((noreturn));
/** Says cause, pc and value of a trap of the sP, and ends it. */
void firmware_trap(uint32_t cause, uint32_t pc, uint32_t value) __attribute__((noreturn));

/** The image's own: what it does when there was no event for 256 cycles. */
tt_handler image_idle;
#endif
