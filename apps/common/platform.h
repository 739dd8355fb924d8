/* What a machine (runtime/: the aP, host/: the workstation) offers to the parts of the runtime that are the same on both. */
#ifndef TS_PLATFORM_H
#define TS_PLATFORM_H

#include <turnstile.h>

/** Bounds of the memory the shared heap manages: TS_BLOCK aligned, zero at start, same addresses in every process. */
void ts_heap_region(char **base, char **end);
/** Makes the heap; once, by process 0, before main. */
void ts_heap_init(void);
/** What a user does about an exhausted heap, for the message. */
extern const char ts_heap_advice[];

#endif
