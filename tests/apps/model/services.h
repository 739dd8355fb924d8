/* The sPs' services, seen by the machine. */
#ifndef SERVICES_H
#define SERVICES_H

#include <stdint.h>

void services_init(uint32_t sites);
/* A service message from an aP to the sP of a site. */
void service(uint32_t site, uint32_t from, uint32_t tag, uint32_t word);
/* An Express message to an aP. */
void deliver(uint32_t ap, uint32_t source, uint32_t tag, uint32_t word);

#endif
