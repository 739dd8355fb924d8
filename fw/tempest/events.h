/** \file Event handlers that the start-up code puts into the event table; the workstation calls them by the same names. */
#ifndef TT_EVENTS_H
#define TT_EVENTS_H
#include "protocol.h"
#include <stdint.h>

/** Numbers of the framework's own messages, beyond those of protocols: low, high. */
enum { TT_PAGE_ASK = 24, TT_PAGE_INFO = 25 };

/** What the hardware calls the mode of an open page: one for each side of each mode of the image (contract §5). */
uint32_t tt_context(const struct tt_page *p);
/** Handler of an event of a page with that context: messages of its protocol, faults; 0 for others. */
tt_handler *tt_context_handler(uint32_t context, uint32_t event);
/** Handler of an event of no page, or of one that is not open, by its number (contract §5): messages, faults, services, timer; 0 for others. */
tt_handler *tt_event_handler(uint32_t event);
/** Handler of a service's tag (contract §8), or 0. */
tt_handler *tt_service_handler(uint32_t tag);
/** Finds handler and calls it: on the workstation, what the hardware's table and the dispatch loop do on the sP. */
void tt_event(uint32_t event, uint32_t a, uint32_t meta);

tt_handler tt_on_timer, tt_on_page_fault, tt_on_page_ask, tt_on_page_info;
tt_handler tt_on_read_fault, tt_on_write_fault;
tt_handler service_lock_acquire, service_lock_release, service_barrier, service_page_set, service_parallel;
/** Contract §8: PAGE_SET's status; the parallel phase begins. */
uint32_t tt_page_set(uint32_t data);
void tt_page_parallel(void);
tt_handler fault_illegal, fault_page_write, fault_bus_error, fault_mismatch, fault_unwanted, fault_translation, fault_high_stopped, fault_untold, fault_other;
#endif
