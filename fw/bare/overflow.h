/** \file Express messages that a receive queue of an aP has no entry for (VY-20, VY-37). */
#ifndef OVERFLOW_H
#define OVERFLOW_H
#include "events.h"

/** Requests between services, of sPs alone: the aP of the word sends nothing from its Express queue, until as many say resume as said hold. */
enum { SERVICE_HOLD = 6, SERVICE_RESUME };

/** Event 101, of a message that its queue does not hold; event 107; the two requests; event 97, for these and the protocol. */
tt_handler overflow_kept, overflow_room, service_hold, service_resume, overflow_timer;
#endif
