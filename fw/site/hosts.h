/** \file Express queues of hosts behind PCI Express (docs/design/host.md): their names, and what they do not read. */
#ifndef HOSTS_H
#define HOSTS_H
#include "events.h"

/** Names for queues `queues`, a bit each, of every site: queue q is k = q. A host speaks to aPs and hosts, not to sPs. */
void hosts_init(uint32_t queues);
/** Whether k, the last part of a name, or a receive queue is a host's. */
int hosts_own(uint32_t k);
/** Event 101, of a host's queue: nobody keeps its messages for it, so that one who never reads costs nobody anything. */
tt_handler hosts_lost;
#endif
