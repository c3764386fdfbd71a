// SPDX-License-Identifier: BSD-3-Clause
// Counting without locked instructions.
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/arch/arch.hpp"
#include "lazult/core/unit/technique.hpp"

namespace lazult::core {

// A number with one writer at a time and any number of readers. Loads are relaxed: they give the
// writer the exact number, and the readers a hint.
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

// What each OS thread counts about the units it runs. Written by that thread alone, read by
// anybody.
struct counters {
    // by a call or on a stack of their own, in a host or in a joiner
    counter started;
    // creations that adaptive planned so, counted by whole windows
    counter planned[technique_count];
    // first suspensions, by the technique that the unit started with
    counter promoted[technique_count];
    counter suspensions;
    counter direct_switches;  // suspensions that switched to the next unit without its scheduler
    // starts where the technique asked for was refused, by that technique
    counter fallbacks[technique_count];
    counter steals;
    counter sleeps;
    counter wakes;
    counter slept_ns;
    // by the technique asked for; only where LAZULT_STATS has them counted
    counter created[technique_count];
};

}  // namespace lazult::core
