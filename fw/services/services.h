/** \file Service tags (contract §8): requests of aPs and the runtime's answers. */
#ifndef SERVICES_H
#define SERVICES_H
#include "events.h"

enum { SERVICE_LOCK_ACQUIRE = 1, SERVICE_LOCK_RELEASE, SERVICE_BARRIER, SERVICE_PAGE_SET, SERVICE_PARALLEL };

/** The word of an answer to a request that was refused: no lock, barrier or status has this number. */
#define SERVICE_REFUSED 0xFFFFFFFFu

/** What no service is meant by. */
tt_handler service_unknown;
#endif
