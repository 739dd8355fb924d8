/** \file Service tags (contract §8): requests of aPs and the runtime's answers. */
#ifndef SERVICES_H
#define SERVICES_H
#include "events.h"

enum { SERVICE_LOCK_ACQUIRE = 1, SERVICE_LOCK_RELEASE, SERVICE_BARRIER, SERVICE_PAGE_SET, SERVICE_PARALLEL, SERVICE_MODE = 8, SERVICE_FIND, SERVICE_CALL = 16 };
/** Name of a mode or of a protocol's service, as programs say it: FNV-1a of its characters. */
uint32_t service_hash(uint32_t hash, const char *text);
enum { SERVICE_HASH = 0x811C9DC5u };

/** The word of an answer to a request that was refused: no lock, barrier or status has this number. */
#define SERVICE_REFUSED 0xFFFFFFFFu

/** What no service is meant by. */
tt_handler service_unknown;
#endif
