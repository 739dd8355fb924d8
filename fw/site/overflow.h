/** \file Receive queues of aPs that fill: what has no entry waits, senders are held (VY-20, VY-37). */
#ifndef OVERFLOW_H
#define OVERFLOW_H
#include "events.h"

/** Requests between services, of sPs alone: word[1:0] is the aP that sends nothing from its Express queue or, with bit 2, its
 * Basic ring, until as many say resume as said hold; 8 and 9 are a host's queues 6 and 7. */
enum { SERVICE_HOLD = 6, SERVICE_RESUME };

/** Event 101, of a message that its queue does not hold; event 107; events 108 and 109, of Basic rings; the two requests; event 97,
 * for these and the protocol. */
tt_handler overflow_kept, overflow_room, overflow_ring_fills, overflow_ring_read, service_hold, service_resume, overflow_timer;

/** `name` sends the named queues of an aP nothing more, from its Express queue or its Basic ring, until all who were held for it go on. */
void overflow_hold_named(uint32_t ap, uint32_t basic, uint32_t name);
void overflow_go_on_named(uint32_t ap);
/** Sends requests and answers that wait, and comes back for the rest. */
void overflow_tell(void);
#endif
