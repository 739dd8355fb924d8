/** \file The Basic queues of the aPs (VY-16, VY-28), and groups of their queues (VY-31). */
#ifndef QUEUES_H
#define QUEUES_H
#include "events.h"

/** Requests of an aP: where its Basic queue is; a group of its queues for OnePoll. */
enum { SERVICE_QUEUE = 10, SERVICE_ONE_POLL = 12 };

/** `window_bytes`: of the private window of an aP. */
void queues_init(uint32_t window_bytes);
tt_handler service_queue, service_one_poll;
#endif
