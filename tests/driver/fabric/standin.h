/* For faults alone: libturnstile's calls over rings in this process, which lose what finds no room as the card does, or what a test wants lost. The proof that the
   provider works over the card is tests/driver/user/of_fabric.py. */
#ifndef STANDIN_H
#define STANDIN_H
#include "turnstile_host.h"
#include <stdint.h>

enum { STANDIN_NAMES = 512, STANDIN_SLOTS = 64 };

struct standin {
    unsigned lose_permille; /* of all messages, at random */
    uint64_t seed;
    int gone;               /* every call: the card was taken away */
    unsigned long full, sent;
    unsigned most[STANDIN_NAMES]; /* slots of a receive ring that were taken at once */
};
extern struct standin standin;

uint64_t standin_random(void);
/* A message from a name that may be nobody's here. 0: the ring was full. */
int standin_send(int from, int to, const void *data, unsigned bytes);
/* What waits for a name is taken away, as its queue from a process that died. */
void standin_take_queue(int name);
#endif
