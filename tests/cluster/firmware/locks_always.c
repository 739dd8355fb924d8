/* A lock that is granted to whoever asks. */
#include "services.h"
#include "events.h"
#include "tempest.h"

tt_handler __wrap_service_lock_acquire, __wrap_service_lock_release;
void __wrap_service_lock_acquire(uint32_t id, uint32_t meta) {
    niu_express_to(meta >> 15 & 0x1FF, SERVICE_LOCK_ACQUIRE, id);
    TT.stats.sync_messages++;
}
void __wrap_service_lock_release(uint32_t id, uint32_t meta) { (void)id, (void)meta; }
