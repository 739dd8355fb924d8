/* SPDX-License-Identifier: Apache-2.0 */
/* What this provider can, and whether an application's hints ask for more. */
#include "provider.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CARDS = 16, FORMAT = (int)(FI_PROV_SPECIFIC | 0x54) };

#define KINDS (FI_MSG | FI_TAGGED | FI_RMA)
#define SENDS (FI_SEND | FI_READ | FI_WRITE)
#define RECEIVES (FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_DIRECTED_RECV | FI_SOURCE)
#define PLACES (FI_LOCAL_COMM | FI_REMOTE_COMM)
#define CAPS (KINDS | SENDS | RECEIVES | PLACES)
/* Answers to reads are made when they leave: a later write may come before. */
#define ORDER (FI_ORDER_SAS | FI_ORDER_SAW | FI_ORDER_WAS | FI_ORDER_WAW | FI_ORDER_RAS | FI_ORDER_RAW)
#define TX_FLAGS (FI_INJECT | FI_COMPLETION | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE)
#define ANY_TAG UINT64_C(0xAAAAAAAAAAAAAAAA)

static bool no(const char *what)
{
    SAY(FI_LOG_INFO, "the hints ask for %s, which this provider has not\n", what);
    return false;
}

static bool has_domain(const struct fi_domain_attr *asked, uint32_t version)
{
    if (!asked) return true;
    if (asked->control_progress == FI_PROGRESS_AUTO || asked->data_progress == FI_PROGRESS_AUTO) return no("progress that nobody makes (FI_PROGRESS_AUTO)");
    if (asked->av_type > FI_AV_TABLE || asked->caps & ~PLACES) return no("a kind of address vector, or of domain");
    if (asked->mr_mode == FI_MR_BASIC || (version < FI_VERSION(1, 5) && asked->mr_mode != FI_MR_UNSPEC && asked->mr_mode != FI_MR_SCALABLE)) return no("FI_MR_BASIC");
    if (asked->mr_key_size > sizeof(uint64_t) || asked->cq_data_size > sizeof(uint64_t) || asked->auth_key_size || asked->cntr_cnt || asked->max_ep_stx_ctx || asked->max_ep_srx_ctx)
        return no("counters, shared contexts, or keys and data of more than 8 bytes");
    return true;
}

static bool has_endpoint(const struct fi_ep_attr *asked)
{
    if (!asked) return true;
    if (asked->type != FI_EP_UNSPEC && asked->type != FI_EP_RDM) return no("an endpoint that is not FI_EP_RDM");
    if (asked->protocol != FI_PROTO_UNSPEC && asked->protocol != FI_PROV_SPECIFIC) return no("a protocol");
    if (asked->max_msg_size > MAX_MESSAGE || asked->msg_prefix_size || asked->auth_key_size || asked->tx_ctx_cnt > 1 || asked->rx_ctx_cnt > 1) return no("longer messages, or several contexts");
    if (asked->max_order_war_size) return no("writes after reads in order");
    return true;
}

static bool has_queues(const struct fi_tx_attr *tx, const struct fi_rx_attr *rx)
{
    if (tx && (tx->caps & ~CAPS || tx->op_flags & ~TX_FLAGS || tx->msg_order & ~ORDER || tx->comp_order & ~FI_ORDER_DATA || tx->inject_size > INJECT || tx->size > DEPTH || tx->iov_limit > IOVS || tx->rma_iov_limit > 1))
        return no("a way to send");
    if (rx && (rx->caps & ~CAPS || rx->op_flags & ~FI_COMPLETION || rx->msg_order & ~ORDER || rx->comp_order & ~FI_ORDER_DATA || rx->size > DEPTH || rx->iov_limit > IOVS || rx->total_buffered_recv > BUFFERED))
        return no("a way to receive");
    return true;
}

static bool has(const struct fi_info *hints, uint32_t version)
{
    if (!hints) return true;
    if (hints->caps & ~CAPS) return no("capabilities");
    if (hints->addr_format != FI_FORMAT_UNSPEC && hints->addr_format != (uint32_t)FORMAT) return no("addresses of another kind");
    return has_endpoint(hints->ep_attr) && has_domain(hints->domain_attr, version) && has_queues(hints->tx_attr, hints->rx_attr);
}

/* What was asked for, with what it means. */
static uint64_t caps_of(const struct fi_info *hints)
{
    uint64_t caps = hints ? hints->caps : 0;

    if (!caps) return CAPS;
    if (caps & (FI_MSG | FI_TAGGED) && !(caps & (FI_SEND | FI_RECV))) caps |= FI_SEND | FI_RECV;
    if (caps & FI_RMA && !(caps & (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE))) caps |= FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    return caps | PLACES;
}

static void describe(struct fi_info *info, const struct fi_info *hints, uint32_t version)
{
    const struct fi_domain_attr *asked = hints ? hints->domain_attr : NULL;

    info->caps = caps_of(hints);
    info->addr_format = (uint32_t)FORMAT;
    *info->tx_attr = (struct fi_tx_attr){
        .caps = info->caps & (KINDS | SENDS), .op_flags = hints && hints->tx_attr ? hints->tx_attr->op_flags : 0, .msg_order = ORDER,
        .inject_size = INJECT, .size = DEPTH, .iov_limit = IOVS, .rma_iov_limit = 1,
    };
    *info->rx_attr = (struct fi_rx_attr){
        .caps = info->caps & (KINDS | RECEIVES), .op_flags = hints && hints->rx_attr ? hints->rx_attr->op_flags : 0, .msg_order = ORDER, .size = DEPTH, .iov_limit = IOVS,
    };
    *info->ep_attr = (struct fi_ep_attr){
        .type = FI_EP_RDM, .protocol = FI_PROV_SPECIFIC, .protocol_version = 1, .max_msg_size = MAX_MESSAGE, .max_order_raw_size = MAX_MESSAGE, .max_order_waw_size = MAX_MESSAGE,
        .mem_tag_format = hints && hints->ep_attr && hints->ep_attr->mem_tag_format ? hints->ep_attr->mem_tag_format : ANY_TAG, .tx_ctx_cnt = 1, .rx_ctx_cnt = 1,
    };
    *info->domain_attr = (struct fi_domain_attr){
        .name = info->domain_attr->name, .threading = FI_THREAD_SAFE, .control_progress = FI_PROGRESS_MANUAL, .data_progress = FI_PROGRESS_MANUAL, .resource_mgmt = FI_RM_ENABLED,
        .av_type = asked && asked->av_type ? asked->av_type : FI_AV_TABLE, .mr_mode = version < FI_VERSION(1, 5) ? FI_MR_SCALABLE : 0, .mr_key_size = sizeof(uint64_t),
        .cq_data_size = sizeof(uint64_t), .cq_cnt = DEPTH, .ep_cnt = DEPTH, .tx_ctx_cnt = DEPTH, .rx_ctx_cnt = DEPTH, .max_ep_tx_ctx = 1, .max_ep_rx_ctx = 1, .mr_iov_limit = 1,
        .caps = PLACES, .mr_cnt = DEPTH,
    };
    if (asked && asked->threading) info->domain_attr->threading = asked->threading;
}

static struct fi_info *info_of(const char *card, const char *node, const struct fi_info *hints, uint32_t version)
{
    struct fi_info *info = fi_allocinfo();

    if (!info) return NULL;
    describe(info, hints, version);
    info->domain_attr->name = strdup(card);
    info->fabric_attr->name = strdup("turnstile");
    if (node) {
        info->dest_addr = calloc(1, sizeof(struct address));
        info->dest_addrlen = sizeof(struct address);
    }
    if (info->domain_attr->name && info->fabric_attr->name && (!node || (info->dest_addr && !parse_address(node, info->dest_addr)))) return info;
    fi_freeinfo(info);
    return NULL;
}

/* A card that is there and that this process may use; why it may not goes to the log. */
static bool usable(const char *card)
{
    char path[40];
    ts_card_t *opened;
    int result;

    snprintf(path, sizeof path, "/dev/%s", card);
    if (access(path, F_OK)) return false;
    result = ts_open(path, &opened);
    if (result) SAY(FI_LOG_WARN, "%s\n", ts_strerror(result));
    ts_close(opened);
    return !result;
}

int get_info(uint32_t version, const char *node, const char *service, uint64_t flags, const struct fi_info *hints, struct fi_info **info)
{
    struct fi_info **end = info;
    struct address address;

    *info = NULL;
    if (flags & FI_SOURCE || service) return -FI_ENODATA; /* a queue is the driver's to give */
    if ((node && parse_address(node, &address)) || !has(hints, version)) return -FI_ENODATA;
    for (int i = 0; i < CARDS; i++) {
        char card[24];

        snprintf(card, sizeof card, "turnstile%d", i);
        if ((hints && hints->domain_attr && hints->domain_attr->name && strcmp(hints->domain_attr->name, card)) || !usable(card)) continue;
        *end = info_of(card, node, hints, version);
        if (!*end) {
            fi_freeinfo(*info);
            return -FI_ENOMEM;
        }
        end = &(*end)->next;
    }
    return *info ? 0 : -FI_ENODATA;
}
