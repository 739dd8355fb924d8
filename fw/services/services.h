/** \file Service tags (contract §8): requests of aPs and the runtime's answers. */
#ifndef SERVICES_H
#define SERVICES_H
enum { SERVICE_LOCK_ACQUIRE = 1, SERVICE_LOCK_RELEASE, SERVICE_BARRIER, SERVICE_PAGE_SET, SERVICE_PARALLEL };
#endif
