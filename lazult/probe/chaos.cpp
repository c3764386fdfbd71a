// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/probe/chaos.hpp"

#include "lazult/os/os.hpp"

#include <atomic>

namespace lazult::probe {
namespace {

// About as long as the time between two instructions that a disturbance shall stretch.
constexpr std::uint32_t longest_spin_ns = 2'000;

std::uint64_t next_thread_seed() noexcept {
    static std::atomic<std::uint64_t> threads{0};
    // relaxed: the numbers need only differ; a stronger order would hide races from the tools
    const std::uint64_t number = threads.fetch_add(1, std::memory_order_relaxed);
    return base::current_settings().seed + (number << 32);
}

base::xorshift64& this_thread_random() noexcept {
    thread_local base::xorshift64 random{next_thread_seed()};
    return random;
}

void spin(std::uint32_t nanoseconds) noexcept {
    const std::int64_t end = os::now_ns() + nanoseconds;
    while (os::now_ns() < end) {
    }
}

}  // namespace

disturbance draw_disturbance(base::xorshift64& random) noexcept {
    if (random.below(chaos_odds) != 0) {
        return disturbance::none;
    }
    return random.below(2) == 0 ? disturbance::yield : disturbance::spin;
}

void disturb() noexcept {
    base::xorshift64& random = this_thread_random();
    switch (draw_disturbance(random)) {
        case disturbance::none: return;
        case disturbance::yield: os::yield_thread(); return;
        case disturbance::spin: spin(random.below(longest_spin_ns)); return;
    }
}

}  // namespace lazult::probe
