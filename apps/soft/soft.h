/** \file
 * Shared memory by software on the aPs (BZ-19, BZ-30; docs/design/soft.md): what its parts offer each other and the runtime. No stored names of
 * the firmware or of the NIU's registers here, for engine.c has the one and messages.c the other.
 */
#ifndef TS_SOFT_H
#define TS_SOFT_H

#include <stdint.h>

/** Software tags: a byte for each line of 64 bytes of the shared heap. What a load and a store test (BZ-19), so that ReadWrite is 0. */
enum { SOFT_LINE_SHIFT = 6, SOFT_LOAD = 0x80, SOFT_STORE = 0xC0 };
enum soft_tag { SOFT_READ_WRITE = 0, SOFT_READ_ONLY = 0x40, SOFT_INVALID = 0xC0 };
extern uint8_t __soft_tags[]; /* link.ld; Invalid at first */

/** Checks until messages are looked for. */
enum { SOFT_CHECKS = 64 };
extern int32_t soft_left;
/** Where the last checked store goes: its data may come from a load that is checked after it. */
extern uintptr_t soft_stored;

/* engine.c */

/** Makes the aP a site of the protocol; @p high: high messages that may be on their way here. */
void soft_engine_init(uint32_t site, uint32_t sites, uint32_t heap, uint32_t heap_end, uint32_t block_log2, uint32_t high);
/** A message of the protocol: its @p type, the site that sent it, its word, and @p lines lines that came with it, at @p data. */
void soft_message(uint32_t type, uint32_t site, uint32_t word, uint32_t lines, const uint32_t *data);
/** An access to the line of @p address that its tag refuses: asks for it and handles messages until it is allowed. @p needs: SOFT_LOAD, SOFT_STORE. */
void soft_fault(uint32_t address, uint32_t needs);
/** The lines of the current message are kept elsewhere: those of received slots are about to be used again. */
void soft_keep_data(void);
/** Does what was put off until the access was done that waited for a block. */
void soft_settle(void);
/** Whether something is put off: then messages are to be looked for soon. */
int soft_put_off(void);
uint32_t soft_site(void);
/** Mode by its name, -1: none. */
int soft_mode(const char *name);
/** PAGE_SET of page @p index (contract §8), by whoever decides about the page. */
uint32_t soft_page_set(uint32_t index, uint32_t word);

/* messages.c */

void soft_init(void);
/** Low: a word. High: a word, and @p lines lines (0 to 2), which are stored where soft_lines says just before. */
void soft_send_low(uint32_t site, uint32_t type, uint32_t word);
uint32_t *soft_lines(void);
void soft_send_high(uint32_t site, uint32_t type, uint32_t word, uint32_t lines);
/** Handles at most one message; returns whether there was one. `_high`: not an Express message, for who waits for one of another kind. */
int soft_poll(void);
int soft_poll_high(void);
/** An Express message of a process that came while the runtime waited for another. */
void soft_express(uint32_t meta, uint32_t word);

/* checks.c */

/** Until all of [a, a + bytes) may be loaded, or stored to; the lines of the last checked store stay writable meanwhile. */
void soft_load(uintptr_t a, uint32_t bytes);
void soft_store(uintptr_t a, uint32_t bytes);

#endif
