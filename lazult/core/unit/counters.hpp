// SPDX-License-Identifier: BSD-3-Clause
// Counters that are updated without locked instructions.
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/arch/arch.hpp"
#include "lazult/core/unit/technique.hpp"

namespace lazult::core {

// A number with one writer at a time and any number of readers. Loads are relaxed: the writer reads
// the exact number, other threads a hint.
class counter {
public:
    void add(std::uint64_t n) noexcept { arch::add_alone(value_, n); }
    void increment() noexcept { add(1); }
    void decrement() noexcept { add(~std::uint64_t{0}); }
    std::uint64_t get() const noexcept {
        return std::atomic_ref(value_).load(std::memory_order_relaxed);
    }

private:
    alignas(8) mutable std::uint64_t value_ = 0;
};

// What an OS thread counts about the units that it runs. Written by that thread, read by any.
struct counters {
    // starts of units: by a scheduler or by a joiner, by a call or on a stack of their own
    counter started;
    // creations that `adaptive` planned, by technique; added for all units of a window of samples
    // when the window ends: see predictor::close_window()
    counter planned[technique_count];
    // first suspensions, by the technique that was planned for the unit
    counter promoted[technique_count];
    counter suspensions;
    counter direct_switches;  // suspensions that switched to the next unit without its scheduler
    // starts for which the planned technique was not possible, by that technique
    counter fallbacks[technique_count];
    counter steals;
    counter sleeps;
    counter wakes;
    counter slept_ns;
    // creations, by the technique asked for; counted only if LAZULT_STATS is on
    counter created[technique_count];
};

}  // namespace lazult::core
