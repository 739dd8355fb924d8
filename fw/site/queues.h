/** \file The Basic queues of the aPs (VY-16, VY-28). */
#ifndef QUEUES_H
#define QUEUES_H
#include "events.h"

/** Request of an aP: where its Basic queue is. */
enum { SERVICE_QUEUE = 10 };

/** `window_bytes`: of the private window of an aP. */
void queues_init(uint32_t window_bytes);
tt_handler service_queue;
#endif
