// SPDX-License-Identifier: BSD-3-Clause
// What a stream does when it has nothing to run: it spins briefly, then sleeps until another thread
// adds work to a pool that it watches, or asks it to stop.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "lazult/sched/events.hpp"
#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

class idler {
public:
    idler() noexcept;
    ~idler();
    idler(const idler&) = delete;
    idler& operator=(const idler&) = delete;

    // Returns false if the process has no slot for this scheduler, which then must not sleep.
    bool can_sleep() const noexcept { return slot_ != lot::no_slot; }
    unsigned slot() const noexcept { return slot_; }

    // Reserves room for so many pools, so that watch() takes no memory. Throws std::bad_alloc.
    void expect(std::size_t pools) { gates_.reserve(2 * pools + 1); }
    void watch(ready_pool& p) { watch(p.idle_gate()); }
    void watch(gate& g) {
        if (gates_.empty()) {
            gates_.push_back(&event_gate());
        }
        gates_.push_back(&g);
    }
    void watch_nothing() noexcept { gates_.clear(); }

    // Spins for LAZULT_IDLE_SPIN. Spins for a tenth of it if there are more streams than
    // processors, because then the stream that this one waits for may need this processor; and if
    // units wait for the kernel, because then another process may. Returns true as soon as
    // `ready()` is true, else false.
    template <class Ready>
    bool spin(const worker& w, Ready&& ready) noexcept {
        const bool is_short = is_crowded() || waits_in_port(w);
        const std::int64_t end = os::now_ns() + (is_short ? spin_ns_ / 10 : spin_ns_);
        do {
            for (int i = 0; i < looks_per_clock; ++i) {
                ds::default_atomics::pause();
                if (ready()) {
                    return true;
                }
            }
        } while (os::now_ns() < end);
        return false;
    }

    // Sleeps unless `ready()` is true. The deadline is absolute, in nanoseconds of os::now_ns();
    // negative: none. Returns false if it has passed, and no thread has woken the stream.
    template <class Ready>
    bool sleep(worker& w, std::int64_t deadline_ns, Ready&& ready) noexcept {
        if (has_event_callbacks()) LAZULT_UNLIKELY {
            return sleep_at(gates_, w, deadline_ns, ready);
        }
        // The thread that adds the first callback wakes all sleepers.
        return nap(w, deadline_ns, [&ready] { return ready() || has_event_callbacks(); });
    }
    // Like sleep(), for a stream that looks for events itself: it does not sleep at event_gate().
    template <class Ready>
    bool nap(worker& w, std::int64_t deadline_ns, Ready&& ready) noexcept {
        const std::span<gate* const> all(gates_);
        return sleep_at(all.empty() ? all : all.subspan(1), w, deadline_ns, ready);
    }

    // Any OS thread: ends the sleep. What the sleeper shall find must be stored before.
    void wake() noexcept {
        if (can_sleep()) {
            sleepers().wake(slot_);
        }
    }

    // Called with 1 when a stream begins to run, and with -1 at its end.
    static void count_streams(int change) noexcept;

    // Returns whether several streams run, and there is a processor for each.
    static bool has_company() noexcept;

private:
    static bool is_crowded() noexcept;
    static core::kernel_port* port_of(const worker& w) noexcept {
        return w.port.load(std::memory_order_relaxed);  // this thread has stored it
    }
    static bool waits_in_port(const worker& w) noexcept {
        const core::kernel_port* const port = port_of(w);
        return port != nullptr && port->is_awaited();
    }

    using wait = ds::idle_wait<>;

    template <class Ready>
    bool sleep_at(std::span<gate* const> gates, worker& w, std::int64_t deadline_ns,
                  Ready& ready) noexcept {
        wait here(sleepers(), slot_, gates);
        core::kernel_port* const port = port_of(w);
        if (port != nullptr) {
            port->sleeps_at(slot_);
        }
        if (waits_in_port(w) && ds::default_atomics::light_barrier_is_free()) {
            if (sleep_short(here, w, deadline_ns, ready)) {
                return true;
            }
            if (has_passed(deadline_ns)) {
                return false;
            }
        }
        here.prepare();
        return sleep_prepared(here, w, deadline_ns, ready);
    }

    // Sleeps for a short time, without the barrier of a long sleep. Where many units wait for the
    // kernel, most sleeps are short. Returns false if nothing has come in that time.
    template <class Ready>
    bool sleep_short(wait& here, worker& w, std::int64_t deadline_ns, Ready& ready) noexcept {
        const std::int64_t soon = os::now_ns() + short_sleep_ns;
        here.prepare_for_short();
        return sleep_prepared(here, w, deadline_ns < 0 ? soon : std::min(soon, deadline_ns), ready);
    }

    template <class Ready>
    static bool sleep_prepared(wait& here, worker& w, std::int64_t deadline_ns,
                               Ready& ready) noexcept {
        if (ready()) {
            here.cancel();
            return true;
        }
        w.count.sleeps.increment();
        core::trace_idling(w, true);
        const std::int64_t began = os::now_ns();
        const bool was_woken =
            waits_in_port(w) ? here.commit_in(*port_of(w), deadline_ns) : here.commit(deadline_ns);
        w.count.slept_ns.add(static_cast<std::uint64_t>(os::now_ns() - began));
        core::trace_idling(w, false);
        return was_woken;
    }

    static bool has_passed(std::int64_t deadline_ns) noexcept {
        return deadline_ns >= 0 && os::now_ns() >= deadline_ns;
    }

    // A wake-up that a short sleep misses comes so late, in nanoseconds.
    static constexpr std::int64_t short_sleep_ns = 250'000;

    // Looks between two reads of the clock. A look follows each pause, because a pause may take 45
    // ns, which delays units that wait for each other across streams.
    static constexpr int looks_per_clock = 8;

    unsigned slot_;
    std::int64_t spin_ns_;
    std::vector<gate*> gates_;
};

}  // namespace lazult::sched
