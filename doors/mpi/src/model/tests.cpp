// SPDX-License-Identifier: BSD-3-Clause
#include "model/tests.hpp"

#include "adapt/caller.hpp"

#include <algorithm>
#include <utility>

namespace lazult::mpi {
namespace {

// After so many misses in a row, a wait makes first tests only if no other unit is ready. But one
// in `skips_before_test` waits makes one in any case.
constexpr std::uint32_t misses_in_vain = 8;
constexpr std::uint32_t skips_before_test = 16;

}  // namespace

constinit first_test of_receives;
constinit first_test of_others;

// Returns false if other ULTs wait for MPI, because a poll then looks at the waits of all. Reads
// the clock from the second call on, because a wait that ends at once needs no clock.
bool stay::may_test() noexcept {
    if (the_poller().has_waiting() || !caller::is_alone()) {
        return false;
    }
    if (!std::exchange(has_tested_, true)) {
        return true;
    }
    const std::int64_t now = os::now_ns();
    if (end_ns_ == 0) {
        end_ns_ = now + base::current_settings().idle_spin;
    }
    return now < end_ns_;
}

first_tests first_test::choose() noexcept {
    if (misses_.load(std::memory_order_relaxed) < misses_in_vain) {
        return first_tests::once;
    }
    const std::uint32_t skips = skips_.load(std::memory_order_relaxed);
    skips_.store(skips + 1, std::memory_order_relaxed);
    if (skips % skips_before_test == 0) {
        return first_tests::once;
    }
    if (!caller::is_alone()) {
        return first_tests::none;
    }
    return the_poller().has_waiting() ? first_tests::once : first_tests::some;
}

void first_test::settle(first_tests how, bool is_over) noexcept {
    if (how != first_tests::once) {
        return;
    }
    const std::uint32_t before = misses_.load(std::memory_order_relaxed);
    const std::uint32_t now = is_over ? 0 : std::min(before + 1, misses_in_vain);
    if (now != before) {
        misses_.store(now, std::memory_order_relaxed);
    }
}

}  // namespace lazult::mpi
