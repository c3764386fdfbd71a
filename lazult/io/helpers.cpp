// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/helpers.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "lazult/sync/sync.hpp"

namespace lazult::io::inner {
namespace {

bool has_jobs_now() noexcept;

// A call that a unit leaves to a helper, on the unit's stack.
struct job {
    sync::waiter<> record;
    void (*function)(void*);
    void* argument;
    job* next = nullptr;
};

// A helper is started when a job comes and no helper is free; it then stays, asleep.
//
// field      written by                   read by             order
// jobs_      take, serve                  are_any_awaited     relaxed: a hint
// the rest   the lock's holders           the same            the lock's
class helper_pool {
public:
    std::mutex& lock() noexcept { return lock_; }

    // Returns false if there is no helper and none can be started.
    bool take(job& wanted) noexcept {
        const std::lock_guard hold(lock_);
        if (free_ <= waiting_ && helpers_ < base::current_settings().io_helpers) {
            core::add_waker(has_jobs_now);
            start_one();
        }
        if (helpers_ == 0) {
            return false;
        }
        *end_ = &wanted;
        end_ = &wanted.next;
        ++waiting_;
        jobs_.fetch_add(1, std::memory_order_relaxed);
        came_.notify_one();
        return true;
    }

    // In a forked child, which has no helpers. The jobs' units are suspended for ever.
    void forget_parent() noexcept {
        new (&came_) std::condition_variable;
        first_ = nullptr;
        end_ = &first_;
        helpers_ = free_ = waiting_ = 0;
        jobs_.store(0, std::memory_order_relaxed);
    }

    bool has_jobs() const noexcept { return jobs_.load(std::memory_order_relaxed) != 0; }

private:
    void start_one() noexcept {
        std::thread fresh;
        if (os::try_start_service_thread(fresh, "lazult helper", [this] { serve(); })) {
            fresh.detach();
            ++helpers_;
            ++free_;
        }
    }

    void serve() noexcept {
        std::unique_lock hold(lock_);
        for (;;) {
            came_.wait(hold, [this] { return first_ != nullptr; });
            job& next = *first_;
            first_ = next.next;
            if (first_ == nullptr) {
                end_ = &first_;
            }
            --waiting_;
            --free_;
            hold.unlock();
            next.function(next.argument);
            sync::wake(&next.record);
            jobs_.fetch_sub(1, std::memory_order_relaxed);
            hold.lock();
            ++free_;
        }
    }

    std::mutex lock_;
    std::condition_variable came_;
    job* first_ = nullptr;
    job** end_ = &first_;
    unsigned helpers_ = 0;
    unsigned free_ = 0;  // helpers that make no call
    unsigned waiting_ = 0;
    ds::default_atomics::atomic<int> jobs_{0};
};

// Never destroyed, because helpers never end.
helper_pool& pool() { return base::the_only<helper_pool>(); }

bool has_jobs_now() noexcept { return pool().has_jobs(); }

// This runs when the library is loaded. Otherwise a fork could copy the static object's guard while
// another thread holds it, and the child would wait for that guard for ever.
[[gnu::constructor]] void hold_helpers_lock() {
    base::hold_across_fork(base::fork_lock::helpers, pool().lock(),
                           []() noexcept { pool().forget_parent(); });
}

}  // namespace

void call_apart(void (*function)(void*), void* argument) {
    const sync::caller me = sync::this_caller<>();
    if (me.unit == nullptr) {
        function(argument);
        return;
    }
    job mine{sync::waiter<>(me.unit, sync::wait_kind::helper, &mine), function, argument};
    bool is_taken = true;
    sync::block(mine.record, [&mine, &is_taken](sync::waiter<>&) noexcept {
        if (pool().take(mine)) LAZULT_LIKELY {
            return true;  // from here on the unit may run, and the job be gone
        }
        is_taken = false;
        return false;
    });
    if (!is_taken) {
        function(argument);
    }
}

}  // namespace lazult::io::inner
