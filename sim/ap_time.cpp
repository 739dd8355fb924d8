#include "ap_time.h"

const char *const ApTime::names[CLASSES] = {"computing", "private_misses", "shared_misses", "messages", "locks", "barriers", "idle"};

/* Of the runtime (apps/common/sync.c, apps/runtime/sync.c, pthread_sync.c, process.c, express.c): what a program calls, and what the runtime itself does. */
static const struct {
    ApTime::Class is;
    const char *name;
} functions[] = {
    {ApTime::LOCKS, "ts_lock"}, {ApTime::LOCKS, "ts_unlock"}, {ApTime::LOCKS, "ts_guard"}, {ApTime::LOCKS, "ts_unguard"},
    {ApTime::LOCKS, "ts_word_lock"}, {ApTime::LOCKS, "ts_word_unlock"}, {ApTime::LOCKS, "ts_number_lock"}, {ApTime::LOCKS, "ts_number_unlock"},
    {ApTime::LOCKS, "pthread_mutex_lock"}, {ApTime::LOCKS, "pthread_mutex_trylock"}, {ApTime::LOCKS, "pthread_mutex_unlock"},
    {ApTime::LOCKS, "pthread_cond_wait"}, {ApTime::LOCKS, "pthread_cond_broadcast"}, {ApTime::LOCKS, "pthread_cond_signal"},
    {ApTime::BARRIERS, "ts_barrier"}, {ApTime::BARRIERS, "ts_number_barrier"}, {ApTime::BARRIERS, "pthread_barrier_wait"},
    {ApTime::BARRIERS, "process_wait"}, {ApTime::BARRIERS, "ts_wait_for_end"}, {ApTime::BARRIERS, "pthread_join"},
    {ApTime::IDLE, "express_receive_start"},
};

ApTime::Functions::Functions(const Elf &program) : copies_(program.has("soft_copy_in") ? program.address("soft_copy_in") : 0) {
    for (const auto &f : functions)
        if (program.has(f.name)) {
            const uint32_t word = (program.address(f.name) - AP_PRIVATE_BASE) / 4;
            if (word >= begins_.size())
                begins_.resize(word + 1, COMPUTING);
            begins_[word] = f.is;
        }
}
