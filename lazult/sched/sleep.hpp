// SPDX-License-Identifier: BSD-3-Clause
// One sleep of a stream that has nothing to run: at gates (sleepers.hpp), and in the stream's port
// while units wait for the kernel there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "lazult/sched/sleepers.hpp"

namespace lazult::sched {

class stream_sleep {
public:
    // By the stream of `w`, which has this slot of sleepers(). The gates must outlive the sleep.
    stream_sleep(worker& w, unsigned slot, std::span<gate* const> gates) noexcept
        : w_(w), here_(sleepers(), slot, gates), port_(port_of(w)) {
        if (port_ != nullptr) {
            port_->sleeps_at(slot);
        }
    }

    // Sleeps unless `ready()` is true. The deadline is absolute, in nanoseconds of os::now_ns();
    // negative: none. Returns false if it has passed, and no thread has woken the stream.
    template <class Ready>
    bool until(std::int64_t deadline_ns, Ready&& ready) noexcept {
        if (is_in_port() && ds::default_atomics::light_barrier_is_free()) {
            if (sleep_short(deadline_ns, ready)) {
                return true;
            }
            if (has_passed(deadline_ns)) {
                return false;
            }
        }
        here_.prepare();
        return sleep_prepared(deadline_ns, ready);
    }

    // Returns whether units of the stream wait for the kernel.
    static bool waits_in_port(const worker& w) noexcept {
        const core::kernel_port* const port = port_of(w);
        return port != nullptr && port->is_awaited();
    }

private:
    static core::kernel_port* port_of(const worker& w) noexcept {
        return w.port.load(std::memory_order_relaxed);  // this thread has stored it
    }
    bool is_in_port() const noexcept { return port_ != nullptr && port_->is_awaited(); }

    // Sleeps for a short time, without the barrier of a long sleep. Where many units wait for the
    // kernel, most sleeps are short. Returns false if nothing has come in that time.
    template <class Ready>
    bool sleep_short(std::int64_t deadline_ns, Ready& ready) noexcept {
        const std::int64_t soon = os::now_ns() + short_sleep_ns;
        here_.prepare_for_short();
        return sleep_prepared(deadline_ns < 0 ? soon : std::min(soon, deadline_ns), ready);
    }

    template <class Ready>
    bool sleep_prepared(std::int64_t deadline_ns, Ready& ready) noexcept {
        if (ready()) {
            here_.cancel();
            return true;
        }
        w_.count.sleeps.increment();
        core::trace_idling(w_, true);
        const std::int64_t began = os::now_ns();
        const bool was_woken =
            is_in_port() ? here_.commit_in(*port_, deadline_ns) : here_.commit(deadline_ns);
        w_.count.slept_ns.add(static_cast<std::uint64_t>(os::now_ns() - began));
        core::trace_idling(w_, false);
        return was_woken;
    }

    static bool has_passed(std::int64_t deadline_ns) noexcept {
        return deadline_ns >= 0 && os::now_ns() >= deadline_ns;
    }

    // A wake-up that a short sleep misses comes so late, in nanoseconds.
    static constexpr std::int64_t short_sleep_ns = 250'000;

    worker& w_;
    ds::idle_wait<> here_;
    core::kernel_port* port_;
};

}  // namespace lazult::sched
