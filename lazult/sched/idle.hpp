// SPDX-License-Identifier: BSD-3-Clause
// What a stream does when it has nothing to run: spin briefly, then sleep until somebody adds work to a pool
// that it watches, or asks it to stop.
#pragma once

#include <vector>

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

class idler {
public:
    idler() noexcept;
    ~idler();
    idler(const idler&) = delete;
    idler& operator=(const idler&) = delete;

    // False where there are as many schedulers as the process can have: then it must not sleep.
    bool can_sleep() const noexcept { return slot_ != lot::no_slot; }

    // Room for so many, so that watching them takes no memory. Throws std::bad_alloc.
    void expect(std::size_t pools) { gates_.reserve(pools); }
    void watch(ready_pool& p) { gates_.push_back(&p.door()); }
    void watch_nothing() noexcept { gates_.clear(); }

    // Spins for LAZULT_IDLE_SPIN, or a tenth of it where there may be more streams than processors, and whoever is waited for
    // wants this one. True as soon as `ready()` is.
    template <class Ready>
    bool spin(Ready&& ready) noexcept {
        const std::int64_t end = os::now_ns() + (is_crowded() ? spin_ns_ / 10 : spin_ns_);
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

    // Sleeps unless `ready()` is true. The deadline is absolute, in os::now_ns()'s time; negative: none.
    template <class Ready>
    void sleep(worker& w, std::int64_t deadline_ns, Ready&& ready) noexcept {
        ds::idle_wait<> wait(sleepers(), slot_, gates_);
        wait.prepare();
        if (ready()) {
            wait.cancel();
            return;
        }
        w.count.sleeps.increment();
        const std::int64_t began = os::now_ns();
        wait.commit(deadline_ns);
        w.count.slept_ns.add(static_cast<std::uint64_t>(os::now_ns() - began));
    }

    // By a stream that leaves for good: a wake-up that was meant for it goes on to others that watch the same pools.
    void pass_on() noexcept {
        for (gate* each : gates_) {
            each->notify();
        }
    }

    // Any OS thread: ends the sleep. What the sleeper shall find must be stored before.
    void wake() noexcept {
        if (can_sleep()) {
            sleepers().wake(slot_);
        }
    }

    // By streams that begin and end to run.
    static void count_streams(int change) noexcept;

    // Several streams, and a processor for each.
    static bool has_company() noexcept;

private:
    static bool is_crowded() noexcept;

    // A pause may take 45 ns, so that units which wait for each other across streams feel each one.
    static constexpr int looks_per_clock = 8;

    unsigned slot_;
    std::int64_t spin_ns_;
    std::vector<gate*> gates_;
};

}  // namespace lazult::sched
