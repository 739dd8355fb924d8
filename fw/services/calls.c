/** \file What programs ask by name: the number of a page mode (ts_alloc_mode) and of a protocol's service, and the calls themselves. */
#include "events.h"
#include "services.h"
#include "tempest.h"

/* The answer to a name that the image does not have. */
enum { UNKNOWN = -1 };

uint32_t service_hash(uint32_t hash, const char *text) {
    while (*text)
        hash = (hash ^ (uint8_t)*text++) * 0x01000193u;
    return hash;
}

static void find_mode(uint32_t name, uint32_t meta) {
    uint32_t found = UNKNOWN;
    for (uint32_t i = 0; i < TT.mode_count; i++)
        if (service_hash(SERVICE_HASH, TT.modes[i].mode->name) == name)
            found = i;
    tt_answer(meta, found);
}

/* The image's services are numbered through, in the order of its protocols. */
static const struct tt_service *service_at(uint32_t index, const struct tt_protocol **of) {
    for (uint32_t i = 0; tt_protocols[i]; i++)
        for (uint32_t k = 0; k < TT_SERVICES && tt_protocols[i]->services[k].name; k++)
            if (index-- == 0) {
                *of = tt_protocols[i];
                return &tt_protocols[i]->services[k];
            }
    return 0;
}

/* `protocol.service` */
static void find_service(uint32_t name, uint32_t meta) {
    const struct tt_protocol *of;
    const struct tt_service *s;
    uint32_t found = UNKNOWN;
    for (uint32_t i = 0; (s = service_at(i, &of)); i++)
        if (service_hash(service_hash(service_hash(SERVICE_HASH, of->name), "."), s->name) == name)
            found = SERVICE_CALL + i;
    tt_answer(meta, found);
}

tt_handler *tt_service_handler(uint32_t tag) {
    const struct tt_protocol *of;
    switch (tag) {
    case SERVICE_LOCK_ACQUIRE: return service_lock_acquire;
    case SERVICE_LOCK_RELEASE: return service_lock_release;
    case SERVICE_BARRIER: return service_barrier;
    case SERVICE_PAGE_SET: return service_page_set;
    case SERVICE_PARALLEL: return service_parallel;
    case SERVICE_MODE: return find_mode;
    case SERVICE_FIND: return find_service;
    }
    const struct tt_service *s = tag >= SERVICE_CALL ? service_at(tag - SERVICE_CALL, &of) : 0;
    return s ? s->handler : 0;
}
