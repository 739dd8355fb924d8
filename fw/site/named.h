/** \file Receive queues beyond the resident ones: names, rights, what is kept of them (VY-33, VY-34, VY-38, VY-39). */
#ifndef NAMED_H
#define NAMED_H
#include "events.h"

/** Requests: of an aP about its own queues (turnstile_service.h); of sPs alone, a row for a sender (`ROW_*` in named.c). */
enum { SERVICE_NAMED = 13, SERVICE_ROW };

/** `window_bytes`: of the private window of an aP. After hosts_init(), for queues of hosts hold no others. */
void named_init(uint32_t window_bytes);
/** Event 101: `word` and `meta` with the message's header. 0: its receive queue is none of these, and nothing was done. */
int named_kept(uint32_t word, uint32_t meta, uint32_t header_low, uint32_t header_high);
tt_handler service_named, service_row;
#endif
