/** \file Event handlers that the start-up code puts into the event table; the workstation calls them by the same names. */
#ifndef TT_EVENTS_H
#define TT_EVENTS_H
#include <stdint.h>

/** Message types of the protocol queue: odd and even mean something only for data, where bit 0 marks an early part. */
enum tt_type {
    TT_GET_RO = 1, TT_GET_RW = 3, TT_UPGRADE = 5, TT_INVAL_RO = 7, TT_INVAL_RW = 9,         /* low */
    TT_DATA_RO = 10, TT_DATA_RW = 12, TT_RECALL = 14, TT_ACK = 16, TT_GRANT = 17, TT_NONE = 18, /* high */
    TT_PAGE_ASK = 20, TT_PAGE_INFO = 21                                                      /* low, high */
};
enum { TT_PART = 1 };

typedef void tt_handler(uint32_t arg, uint32_t meta);

/** Handlers by message type; the last entry has none. */
struct tt_message {
    uint32_t type;
    tt_handler *handler;
};
extern const struct tt_message tt_messages[];

tt_handler tt_on_timer, tt_on_page_fault, tt_on_page_ask, tt_on_page_info;
tt_handler tt_on_read_fault, tt_on_write_fault;
tt_handler stache_get_ro, stache_get_rw, stache_upgrade, stache_ack, stache_none, stache_recall, stache_recall_part; /* at home */
tt_handler stache_data_ro, stache_data_rw, stache_data_part, stache_grant, stache_inval_ro, stache_inval_rw;          /* at a copy */
tt_handler service_lock_acquire, service_lock_release, service_barrier, service_page_set, service_parallel;
/** Contract §8: PAGE_SET's status; the parallel phase begins. */
uint32_t tt_page_set(uint32_t data);
void tt_page_parallel(void);
tt_handler fault_illegal, fault_page_write, fault_bus_error, fault_mismatch, fault_unwanted, fault_translation, fault_high_stopped, fault_untold, fault_other;
#endif
