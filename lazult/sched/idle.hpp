// SPDX-License-Identifier: BSD-3-Clause
// What a stream does when it has nothing to run: it spins briefly, then sleeps until another thread
// adds work to a pool that it watches, or asks it to stop.
#pragma once

#include <span>
#include <vector>

#include "lazult/sched/events.hpp"
#include "lazult/sched/ready_pool.hpp"
#include "lazult/sched/sleep.hpp"

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
        const bool is_short = is_crowded() || stream_sleep::waits_in_port(w);
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
            return stream_sleep(w, slot_, gates_).until(deadline_ns, ready);
        }
        // The thread that adds the first callback wakes all sleepers.
        return nap(w, deadline_ns, [&ready] { return ready() || has_event_callbacks(); });
    }
    // Like sleep(), for a stream that looks for events itself: it does not sleep at event_gate().
    template <class Ready>
    bool nap(worker& w, std::int64_t deadline_ns, Ready&& ready) noexcept {
        const std::span<gate* const> all(gates_);
        return stream_sleep(w, slot_, all.empty() ? all : all.subspan(1)).until(deadline_ns, ready);
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

    // Looks between two reads of the clock. A look follows each pause, because a pause may take 45
    // ns, which delays units that wait for each other across streams.
    static constexpr int looks_per_clock = 8;

    unsigned slot_;
    std::int64_t spin_ns_;
    std::vector<gate*> gates_;
};

}  // namespace lazult::sched
