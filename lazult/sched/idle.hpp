// SPDX-License-Identifier: BSD-3-Clause
// What a stream does when it has nothing to run: it spins briefly, then sleeps until another thread
// adds work to a pool that it watches, or asks it to stop.
#pragma once

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
        const bool is_short = is_crowded() || (w.port != nullptr && w.port->is_awaited());
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

    template <class Ready>
    bool sleep_at(std::span<gate* const> gates, worker& w, std::int64_t deadline_ns,
                  Ready& ready) noexcept {
        ds::idle_wait<> wait(sleepers(), slot_, gates);
        core::kernel_port* const port = w.port;
        if (port != nullptr) {
            port->sleeps_at(slot_);
        }
        wait.prepare();
        if (ready()) {
            wait.cancel();
            return true;
        }
        w.count.sleeps.increment();
        core::trace_idling(w, true);
        const std::int64_t began = os::now_ns();
        const bool was_woken = port != nullptr && port->is_awaited()
                                   ? wait.commit_in(*port, deadline_ns)
                                   : wait.commit(deadline_ns);
        w.count.slept_ns.add(static_cast<std::uint64_t>(os::now_ns() - began));
        core::trace_idling(w, false);
        return was_woken;
    }

    // Looks between two reads of the clock. A look follows each pause, because a pause may take 45
    // ns, which delays units that wait for each other across streams.
    static constexpr int looks_per_clock = 8;

    unsigned slot_;
    std::int64_t spin_ns_;
    std::vector<gate*> gates_;
};

}  // namespace lazult::sched
