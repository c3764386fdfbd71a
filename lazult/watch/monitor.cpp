// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/monitor.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>

#include "lazult/watch/deadlock.hpp"
#include "lazult/watch/watchdog.hpp"

namespace lazult::watch {
namespace {

constexpr std::int64_t deadlock_period_ns = 250'000'000;
constexpr std::int64_t shortest_period_ns = 1'000'000;

// field     written by                      read by     order
// ends      stop_watching                   run         release / acquire
// the rest  start_watching, stop_watching   the same    enter_process()'s lock
struct watching {
    ds::default_atomics::atomic<std::uint32_t> ends{0};
    std::thread thread;
    int process = 0;  // the process that has the thread: a forked child has none
    std::int64_t watchdog_ns = 0;
    base::deadlock_kind deadlock = base::deadlock_kind::off;
    std::int64_t period_ns = 0;
    bool (*awaits_events)() noexcept = nullptr;

    void run() noexcept {
        try {
            watchdog dog(watchdog_ns);
            deadlock_finder finder(awaits_events);
            // pairs with: stop_watching(), store of ends
            while (ends.load(std::memory_order_acquire) == 0) {
                ds::default_atomics::futex_wait(ends, 0, os::now_ns() + period_ns);
                look(dog, finder);
            }
        } catch (const std::bad_alloc&) {
            base::warn("out of memory: nobody watches for late units and deadlocks any more");
        }
    }

private:
    void look(watchdog& dog, deadlock_finder& finder) const {
        if (watchdog_ns != 0) {
            dog.look();
        }
        if (deadlock != base::deadlock_kind::off && finder.look()) {
            std::fputs(deadlock_finder::report().c_str(), stderr);
            if (deadlock == base::deadlock_kind::abort) {
                std::abort();
            }
        }
    }
};

watching& monitor() { return base::the_only<watching>(); }

}  // namespace

void start_watching(bool (*awaits_events)() noexcept) noexcept {
    const base::settings& wanted = base::current_settings();
    if (wanted.watchdog == 0 && wanted.deadlock == base::deadlock_kind::off) {
        return;
    }
    watching& m = monitor();
    m.ends.store(0, std::memory_order_relaxed);  // relaxed: the thread's start publishes it
    m.watchdog_ns = wanted.watchdog;
    m.awaits_events = awaits_events;
    m.deadlock = wanted.deadlock;
    m.period_ns = m.deadlock == base::deadlock_kind::off ? wanted.watchdog : deadlock_period_ns;
    if (m.watchdog_ns != 0) {
        // Four looks in the time of LAZULT_WATCHDOG, so a report is at most a quarter of it late.
        constexpr int looks = 4;
        m.period_ns = std::clamp(m.watchdog_ns / looks, shortest_period_ns, m.period_ns);
    }
    try {
        m.thread = os::start_service_thread("lazult watch", [&m] { m.run(); });
        m.process = ::getpid();
    } catch (const std::system_error&) {
        base::warn("no OS thread to be had: LAZULT_WATCHDOG and LAZULT_DEADLOCK watch nobody");
    } catch (const std::bad_alloc&) {
        base::warn("out of memory: LAZULT_WATCHDOG and LAZULT_DEADLOCK watch nobody");
    }
}

void stop_watching() noexcept {
    watching& m = monitor();
    if (!m.thread.joinable()) {
        return;
    }
    if (m.process != ::getpid()) {
        new (&m.thread) std::thread;  // the thread exists only in the parent
        return;
    }
    m.ends.store(1, std::memory_order_release);  // pairs with: run(), load of ends
    ds::default_atomics::futex_wake(m.ends, 1);
    os::join_thread(m.thread);
}

}  // namespace lazult::watch
