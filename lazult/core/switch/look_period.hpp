// SPDX-License-Identifier: BSD-3-Clause
// How many scheduling points pass between two looks of a host at events and at other pools. It is
// LAZULT_EVENT_PERIOD while units give way often. Where they run for long, that would let an event
// wait for many of them, so there the looks come about every 0.1 ms. A look takes less than a
// hundredth of that.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lazult::core {

class look_period {
public:
    // `ticks` is the time between two looks that is long enough.
    explicit constexpr look_period(std::uint64_t ticks) noexcept : long_enough_(ticks) {}

    void set_longest(int points) noexcept { longest_ = points_ = points; }
    int longest() const noexcept { return longest_; }
    // Between the last look and the next one.
    int points() const noexcept { return points_; }

    // Called at each look, with the time. Returns the number of points until the next one.
    int after_look(std::uint64_t now) noexcept {
        const std::uint64_t passed = now - looked_at_;
        const bool is_first = looked_at_ == 0;
        looked_at_ = now;
        if (is_first) {
            return points_;
        }
        if (passed > long_enough_) {
            points_ = shorter(passed);
        } else if (points_ < longest_ && passed < long_enough_ / 2) {
            points_ = std::min(longest_, 2 * points_);
        }
        return points_;
    }

    // The time until the next look says nothing about units, because the stream sleeps meanwhile.
    void forget_last_look() noexcept { looked_at_ = 0; }

private:
    int shorter(std::uint64_t passed) const noexcept {
        const auto fitting = static_cast<std::uint64_t>(points_) * long_enough_ / passed;
        return std::max(1, static_cast<int>(fitting));
    }

    std::uint64_t long_enough_;
    std::uint64_t looked_at_ = 0;  // 0: not known
    int points_ = 1;
    int longest_ = 1;
};

}  // namespace lazult::core
