// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/monitor.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <system_error>
#include <thread>

#include "lazult/watch/caught.hpp"
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
    std::int64_t spare_ns = 0;
    std::int64_t quantum_ns = 0;
    std::int64_t period_ns = 0;
    watch_hooks hooks{};

    void run() noexcept {
        try {
            watchdog dog(watchdog_ns);
            deadlock_finder finder(hooks.awaits_events);
            caught_streams caught(spare_ns, quantum_ns);
            // pairs with: stop_watching(), store of ends
            while (ends.load(std::memory_order_acquire) == 0) {
                ds::default_atomics::futex_wait(ends, 0, os::now_ns() + period_ns);
                look(dog, finder);
                if (spare_ns != 0 || quantum_ns != 0) {
                    hooks.relieve(caught.look());
                }
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

// The time between two looks. Four of them fit into the time of LAZULT_WATCHDOG, and two into that
// of LAZULT_SPARE and of LAZULT_QUANTUM, so what they find is a quarter or a half of that late at
// most.
std::int64_t period_for(const base::settings& wanted) noexcept {
    std::int64_t period = wanted.deadlock == base::deadlock_kind::off
                              ? std::numeric_limits<std::int64_t>::max()
                              : deadlock_period_ns;
    const auto look_within = [&period](std::int64_t limit_ns, int looks) {
        if (limit_ns != 0) {
            period = std::min(period, std::max(limit_ns / looks, shortest_period_ns));
        }
    };
    look_within(wanted.watchdog, 4);
    look_within(wanted.spare, 2);
    look_within(wanted.quantum, 2);
    return period;
}

watching& monitor() { return base::the_only<watching>(); }

}  // namespace

void start_watching(const watch_hooks& hooks) noexcept {
    const base::settings& wanted = base::current_settings();
    if (wanted.watchdog == 0 && wanted.deadlock == base::deadlock_kind::off && wanted.spare == 0 &&
        wanted.quantum == 0) {
        return;
    }
    watching& m = monitor();
    m.ends.store(0, std::memory_order_relaxed);  // relaxed: the thread's start publishes it
    m.watchdog_ns = wanted.watchdog;
    m.spare_ns = wanted.spare;
    m.quantum_ns = wanted.quantum;
    m.hooks = hooks;
    m.deadlock = wanted.deadlock;
    m.period_ns = period_for(wanted);
    try {
        m.thread = os::start_service_thread("lazult watch", [&m] { m.run(); });
        m.process = ::getpid();
    } catch (const std::system_error&) {
        base::warn(
            "no OS thread to be had: LAZULT_WATCHDOG, LAZULT_DEADLOCK, LAZULT_SPARE and "
            "LAZULT_QUANTUM watch nobody");
    } catch (const std::bad_alloc&) {
        base::warn(
            "out of memory: LAZULT_WATCHDOG, LAZULT_DEADLOCK, LAZULT_SPARE and LAZULT_QUANTUM "
            "watch "
            "nobody");
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
