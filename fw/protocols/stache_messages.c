/** \file Stache's message types and their handlers; pages' own beside them. */
#include "events.h"

const struct tt_message tt_messages[] = {
    {TT_GET_RO, stache_get_ro}, {TT_GET_RW, stache_get_rw}, {TT_UPGRADE, stache_upgrade},
    {TT_INVAL_RO, stache_inval_ro}, {TT_INVAL_RW, stache_inval_rw},
    {TT_DATA_RO, stache_data_ro}, {TT_DATA_RW, stache_data_rw}, {TT_RECALL, stache_recall},
    {TT_DATA_RO | TT_PART, stache_data_part}, {TT_DATA_RW | TT_PART, stache_data_part},
    {TT_RECALL | TT_PART, stache_recall_part},
    {TT_ACK, stache_ack}, {TT_GRANT, stache_grant}, {TT_NONE, stache_none},
    {TT_PAGE_ASK, tt_on_page_ask}, {TT_PAGE_INFO, tt_on_page_info},
    {0, 0}};
