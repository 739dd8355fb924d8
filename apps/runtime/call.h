/* Host calls, for the files of the runtime (docs/design/host-calls.md). */
#ifndef TS_CALL_H
#define TS_CALL_H

#include <stdint.h>
#include <turnstile_call.h>

extern struct tt_call __tt_call;

/* Waits for the answer; -1 with errno when it is one. */
int32_t host_call(uint32_t number, uint32_t a, uint32_t b, uint32_t c);

/* files.c: process @p process, about to be created, gets the caller's open files; the caller, about to end, has none any more. */
void files_inherit(uint32_t process);
void files_forget(void);

#endif
