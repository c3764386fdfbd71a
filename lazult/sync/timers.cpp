// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/timers.hpp"

#include "lazult/sched/sched.hpp"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <thread>

namespace lazult::sync {
namespace {

class timer_service;
timer_service& service();

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// field      written by                           read by            order
// heap_..    the holder of lock_                  the same           lock_'s
// sleeps_until_  the timer thread, start_timer()  start_timer()      lock_'s
// epoch_     the holder of lock_                  the timer thread   under lock_, and by the futex:
//                                                                    the thread does not sleep if
//                                                                    epoch_ changed since it
//                                                                    released lock_
class timer_service {
public:
    std::mutex& lock() noexcept { return lock_; }

    // Returns whether a timer thread runs, or could be started now.
    bool can_start() noexcept {
        const std::unique_lock hold(lock_);
        return ensure_thread();
    }

    void start(timer& t) {
        std::unique_lock hold(lock_);
        if (!ensure_thread()) LAZULT_UNLIKELY {
            const os::memory_shortage why = os::find_thread_shortage();
            char cause[256];
            std::snprintf(cause, sizeof cause, "their OS thread cannot be started: %s", why.text);
            base::fatal_misuse("timers", cause, why.cure);
        }
        t.state = timer::life::armed;
        heap_.insert(t);
        // As soon as the lock is released, the timer may fire, and be gone.
        if (t.deadline_ns >= sleeps_until_) LAZULT_LIKELY {
            return;
        }
        sleeps_until_ = t.deadline_ns;
        disturb(hold);
    }

    bool cancel(timer& t) noexcept {
        const std::lock_guard hold(lock_);
        const bool was_armed = t.state == timer::life::armed;
        if (was_armed) {
            heap_.remove(t);
        }
        t.state = timer::life::idle;
        return was_armed;
    }

    void stop() noexcept {
        std::unique_lock hold(lock_);
        if (!running_) {
            return;
        }
        stop_ = true;
        std::thread ended = std::move(thread_);
        disturb(hold);
        os::join_thread(ended);
        hold.lock();
        running_ = stop_ = false;
    }

    // Called in a forked child: the timer thread and the waiting callers exist only in the parent.
    void forget_parent() noexcept {
        while (timer* left = heap_.nearest()) {
            heap_.remove(*left);
            left->state = timer::life::idle;
        }
        new (&thread_) std::thread;
        running_ = stop_ = false;
    }

    timer_statistics statistics() noexcept {
        const std::lock_guard hold(lock_);
        return {running_, wakeups_, fired_, heap_.size()};
    }

private:
    // Wakes the timer thread, and releases the lock before, because that thread needs the lock.
    void disturb(std::unique_lock<std::mutex>& hold) noexcept {
        epoch_.store(epoch_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        hold.unlock();
        ds::default_atomics::futex_wake(epoch_, 1);
    }

    bool ensure_thread() noexcept {
        if (running_) LAZULT_LIKELY {
            return true;
        }
        const base::errno_guard keeps_errno;  // errno may be another unit's during a switch
        core::add_waker([]() noexcept { return count_timers().armed != 0; });
        if (!os::try_start_service_thread(thread_, "lazult timers", [this] { run(); })) {
            return false;
        }
        running_ = true;
        sleeps_until_ = never;
        stop_with_main();
        return true;
    }

    // Stops the timer thread at the end of main, once. The flag is no static local, because a fork
    // might copy the guard of a static local while another thread holds it.
    void stop_with_main() noexcept {
        ends_with_main_ = ends_with_main_ || std::atexit([] { service().stop(); }) == 0;
    }

    void run() {
        std::unique_lock hold(lock_);
        while (!stop_) {
            if (timer* due = take_due(os::now_ns())) {
                hold.unlock();
                resume(due);
                hold.lock();
                continue;
            }
            sleep(hold);
        }
    }

    void sleep(std::unique_lock<std::mutex>& hold) {
        const timer* nearest = heap_.nearest();
        sleeps_until_ = nearest == nullptr ? never : nearest->deadline_ns;
        const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed);
        const std::int64_t until = nearest == nullptr ? no_deadline : nearest->deadline_ns;
        hold.unlock();
        ds::default_atomics::futex_wait(epoch_, epoch, until);
        hold.lock();
        ++wakeups_;
    }

    // Fires the due timers. Returns, chained by `sibling`, those with a caller that the timer
    // thread must resume. These callers sleep, so their timers stay valid after the lock is
    // released. All other timers may be gone by then, because their callers run, or another source
    // has claimed the wait.
    timer* take_due(std::int64_t now) noexcept {
        timer* chain = nullptr;
        timer** end = &chain;
        while (timer* t = heap_.nearest()) {
            if (t->deadline_ns > now) {
                break;
            }
            heap_.remove(*t);
            t->state = timer::life::fired;
            ++fired_;
            const bool ends_wait =
                t->claim == nullptr ||
                t->claim->claim(claim_word<>::timed_out) == claim_word<>::result::asleep;
            // If another thread has interrupted the unit, resume() returns false. The unit may run
            // by then, but it and its timer are still valid: to cancel the timer, the unit must
            // first take the lock that this thread holds.
            if (ends_wait && t->unit->wait.resume()) {
                t->sibling = nullptr;
                *end = t;
                end = &t->sibling;
            }
        }
        return chain;
    }

    static void resume(timer* chain) noexcept {
        // If all streams have gone, their units never run again, and their pools are gone.
        const bool alive = sched::process_has_streams();
        while (chain != nullptr) {
            timer* next = chain->sibling;
            if (alive) {
                core::make_ready(core::this_worker_or_null(), chain->unit);
            }
            chain = next;
        }
    }

    std::mutex lock_;
    timer_heap heap_;
    std::int64_t sleeps_until_ = never;
    bool running_ = false;
    bool stop_ = false;
    bool ends_with_main_ = false;
    std::uint64_t wakeups_ = 0;
    std::uint64_t fired_ = 0;
    ds::default_atomics::atomic<std::uint32_t> epoch_{0};
    std::thread thread_;
};

// Never destroyed, because a timed wait after the end of main starts the thread again.
timer_service& service() { return base::the_only<timer_service>(); }

// This runs when the library is loaded. Otherwise a fork could copy the static object's guard while
// another thread holds it, and the child would wait for that guard for ever.
[[gnu::constructor]] void hold_timers_lock() {
    base::hold_across_fork(base::fork_lock::timers, service().lock(),
                           []() noexcept { service().forget_parent(); });
}

}  // namespace

void start_timer(timer& t) { service().start(t); }

bool can_start_timers() noexcept { return service().can_start(); }

bool cancel_timer(timer& t) noexcept { return service().cancel(t); }

std::int64_t deadline_after(std::int64_t duration_ns) noexcept {
    if (duration_ns < 0) {
        return no_deadline;
    }
    const std::int64_t now = os::now_ns();
    return duration_ns > never - now ? never : now + duration_ns;
}

timer_statistics count_timers() noexcept { return service().statistics(); }

}  // namespace lazult::sync
