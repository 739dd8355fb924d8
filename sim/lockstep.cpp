#include "lockstep.h"
#include <algorithm>
#include <chrono>

/* Cycles of a trial whether threads are faster together or alone, and from one to the next. */
constexpr uint64_t TRIAL = 1 << 10, SPAN = 1 << 18;

Lockstep::Lockstep(unsigned threads, bool yielding, Work work)
    : work_(std::move(work)), yielding_(yielding && threads > 1), together_(threads > 1), lanes_(threads) {
    for (unsigned thread = 1; thread < threads; thread++)
        helpers_.emplace_back([this, thread] { serve(thread); });
}

Lockstep::~Lockstep() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        quit_ = true;
    }
    start_.notify_all();
    for (std::thread &helper : helpers_)
        helper.join();
}

/* The others are a fraction of a cycle behind, unless they lost their core. */
void Lockstep::await(const std::atomic<uint64_t> &count, uint64_t least) {
    enum { SPINS = 200 };
    for (unsigned spins = 0; count.load(std::memory_order_acquire) < least; spins++)
        if (spins < SPINS)
            __builtin_ia32_pause();
        else
            std::this_thread::yield();
}

uint64_t Lockstep::run(uint64_t first, uint64_t until) {
    last_.store(UINT64_MAX, std::memory_order_relaxed);
    const auto seconds = [&](auto way, uint64_t cycles) {
        const auto start = std::chrono::steady_clock::now();
        first = (this->*way)(first, first + cycles);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (first < until && !stopped()) {
        if (const uint64_t trial = std::min(TRIAL, (until - first) / 2); yielding_ && trial && first >= judged_) {
            judged_ = first + SPAN;
            const double one = seconds(&Lockstep::alone, trial);
            together_ = stopped() || seconds(&Lockstep::joined, trial) < one;
        } else {
            first = together_ ? joined(first, until) : alone(first, until);
        }
    }
    return first;
}

uint64_t Lockstep::alone(uint64_t first, uint64_t until) {
    for (; first < until && !stopped(); first++)
        step(first);
    return first;
}

uint64_t Lockstep::joined(uint64_t first, uint64_t until) {
    for (Lane &lane : lanes_)
        lane.done.store(first, std::memory_order_relaxed);
    first_ = first, until_ = until;
    uint64_t runs;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        runs = ++runs_;
    }
    start_.notify_all();
    share(0);
    for (unsigned helper = 1; helper < threads(); helper++)
        await(lanes_[helper].runs, runs);
    if (thrown_)
        std::rethrow_exception(thrown_);
    const uint64_t last = last_.load(std::memory_order_relaxed);
    return last < until ? last + 1 : until;
}

/* One thread's share of a run. */
void Lockstep::share(unsigned thread) {
    for (uint64_t cycle = first_; cycle < until_; cycle++) {
        for (const Lane &lane : lanes_)
            await(lane.done, cycle);
        // Set in an earlier cycle, which all have done; a thread that is ahead may just have set it in this one, which is done, too.
        if (last_.load(std::memory_order_relaxed) < cycle)
            return;
        try {
            work_(thread, cycle);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            thrown_ = std::current_exception();
            stop(cycle);
            endTurn(thread, cycle);
        }
        lanes_[thread].done.store(cycle + 1, std::memory_order_release);
    }
}

void Lockstep::serve(unsigned thread) {
    for (uint64_t run = 1;; run++) {
        {
            std::unique_lock<std::mutex> lock(mutex_);
            start_.wait(lock, [&] { return quit_ || runs_ >= run; });
            if (quit_)
                return;
        }
        share(thread);
        lanes_[thread].runs.store(run, std::memory_order_release);
    }
}
