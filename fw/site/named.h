/** \file Receive queues beyond the resident ones: names, rights, what is kept of them (VY-33, VY-34, VY-38, VY-39). */
#ifndef NAMED_H
#define NAMED_H
#include "events.h"

/** Requests: of an aP about its own queues (turnstile_service.h); of sPs alone, a row for a sender (`ROW_*`). */
enum { SERVICE_NAMED = 13, SERVICE_ROW, SERVICE_ROWED };
/** The answer to one who is to ask again. */
#define NAMED_BUSY 0xFFFFFFFEu
/** Between sPs: word[31:29] what is asked about `name`; `place` is a receive queue and, from bit 9 on, its site. */
#define ROW_WORD(what, name, place) ((uint32_t)(what) << 29 | (name) | (place) << 9)

/** `window_bytes`: of the private window of an aP. After hosts_init(), for queues of hosts hold no others. */
void named_init(uint32_t window_bytes);
/** Event 101: `word` and `meta` with the message's header. 0: its receive queue is none of these, and nothing was done. */
int named_kept(uint32_t word, uint32_t meta, uint32_t header_low, uint32_t header_high);
/** Express FIFOs that hold queues of an aP, a bit each. */
uint32_t named_fifos(uint32_t ap);
tt_handler service_named, service_row, service_rowed;

/** Queue `index` of a site, as a place. */
uint32_t named_place(uint32_t site, uint32_t index);
/** What `name` means for an aP of ours; `valid` 0: nothing. */
void named_row(uint32_t ap, uint32_t name, uint32_t place, uint32_t valid);
/** The queue at `place` has `name` from now on, if it expects it; returns the name it had, or 0. */
uint32_t named_adopt(uint32_t place, uint32_t name);
/** Our queue `index` has another's name in exchange, which nobody was granted. */
void named_exchange(uint32_t index, uint32_t name);

/** moved.c: moves our queue `index` of aP `ap`; 0: its sP's answer comes later. Whether it moves now. */
uint32_t moved_begin(uint32_t ap, uint32_t index, uint32_t name, uint32_t to);
int moved_under(uint32_t index);
/** Another sP asks for `what`. */
void moved_asked(uint32_t site, uint32_t what, uint32_t name, uint32_t to);
/** Sends what waits; returns whether more waits for the transmit queue. */
int moved_send(void);
#endif
