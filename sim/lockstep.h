/** \file
 * Threads that step a cluster together. A link takes one cycle from register to register, so they meet once a cycle. What they report
 * is told in turn, thread after thread, so that it comes in the order in which one thread would tell it.
 */
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Lockstep {
public:
    /** What thread `thread` does of a cycle; it tells what it has to tell first, and then ends its turn. Thread 0 is the one that calls run(). */
    using Work = std::function<void(unsigned thread, uint64_t cycle)>;
    /** `yielding`: one thread does it all while that is faster, because others use the cores. */
    Lockstep(unsigned threads, bool yielding, Work work);
    ~Lockstep();

    unsigned threads() const { return lanes_.size(); }
    /** Runs cycles from `first` on: to `until`, or to the end of that in which stop() was called. Returns the one that comes next. Throws
     * what a thread's work threw. */
    uint64_t run(uint64_t first, uint64_t until);
    /** A cycle outside run(), all of it in this thread. */
    void step(uint64_t cycle) {
        for (unsigned thread = 0; thread < threads(); thread++)
            work_(thread, cycle);
    }

    /** Returns when all threads before this one have told what they had to tell in this cycle. */
    void awaitTurn(unsigned thread, uint64_t cycle) const {
        for (unsigned other = 0; other < thread; other++)
            await(lanes_[other].told, cycle + 1);
    }
    void endTurn(unsigned thread, uint64_t cycle) { lanes_[thread].told.store(cycle + 1, std::memory_order_release); }
    /** This cycle is the last of the run. Only for who has the turn. */
    void stop(uint64_t cycle) { last_.store(cycle, std::memory_order_relaxed); }

private:
    /** Of one thread: how many cycles it has told and done, and how many runs it has left behind. */
    struct alignas(64) Lane {
        std::atomic<uint64_t> told{0}, done{0}, runs{0};
    };
    static void await(const std::atomic<uint64_t> &count, uint64_t least);
    bool stopped() const { return last_.load(std::memory_order_relaxed) != UINT64_MAX; }
    uint64_t alone(uint64_t first, uint64_t until);
    uint64_t joined(uint64_t first, uint64_t until);
    void share(unsigned thread);
    void serve(unsigned thread);

    Work work_;
    bool yielding_, together_;
    uint64_t judged_ = 0; ///< cycle up to which `together_` was decided
    std::vector<Lane> lanes_;
    alignas(64) std::atomic<uint64_t> last_{UINT64_MAX};
    uint64_t first_ = 0, until_ = 0; ///< of the run; written while no helper is in one
    std::mutex mutex_;
    std::condition_variable start_;
    uint64_t runs_ = 0; ///< begun; under the mutex, as the next two
    bool quit_ = false;
    std::exception_ptr thrown_;
    std::vector<std::thread> helpers_;
};
