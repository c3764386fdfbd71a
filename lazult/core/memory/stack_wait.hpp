// SPDX-License-Identifier: BSD-3-Clause
// How long a stream waits for a stack when there is no memory for one: while others may still give
// some back. That is ten seconds where some unit runs, or is going to be woken, and a moment where
// nothing in the process moves any more.
//
// By one thread. Times are in milliseconds, of a clock of the caller's that may wrap around.
#pragma once

#include <cstdint>

namespace lazult::core {

class stack_wait {
public:
    static constexpr std::uint32_t longest_ms = 10'000;
    static constexpr unsigned least_naps = 1'000;
    static constexpr std::uint32_t longest_standstill_ms = 100;
    static constexpr std::uint32_t least_between_looks_ms = 10;
    static constexpr unsigned least_looks = 5;
    static constexpr std::uint32_t most_tries = 4096;

    // A stack has been found.
    void end() noexcept {
        naps_ = 0;
        first_ = nullptr;
    }

    // Of a unit that goes behind the others of its pool, for want of a stack: whether all others
    // have been tried since something ran here, so that it is time for a nap. `steps`: what the
    // stream has started and suspended.
    bool has_tried_all(const void* unit, std::uint64_t steps) noexcept {
        if (first_ == nullptr || steps != steps_then_) {
            first_ = unit;
            steps_then_ = steps;
            tries_ = 0;
            return false;
        }
        if (unit != first_ && ++tries_ < most_tries) {
            return false;
        }
        first_ = unit;  // another one may have got the former
        tries_ = 0;
        return true;
    }

    // Whether it is worth the trouble to look at all streams.
    bool is_look_due(std::uint32_t now_ms) noexcept {
        if (now_ms - looked_at_ < least_between_looks_ms) {
            return false;
        }
        looked_at_ = now_ms;
        return true;
    }
    // By a look. Whether nothing moves any more, and so nobody is going to give a stack back.
    // `steps`: of all streams.
    bool stands_still(std::uint32_t now_ms, std::uint64_t steps, bool others_may_go_on) noexcept {
        if (looks_ == 0 || steps != all_steps_then_ || others_may_go_on) {
            still_since_ = now_ms;
            all_steps_then_ = steps;
            looks_ = 0;
        }
        ++looks_;
        return looks_ > least_looks && now_ms - still_since_ >= longest_standstill_ms;
    }

    // After a nap. False when it is time to give up: by the clock, as on a busy machine so many
    // naps would be minutes, and by some naps, as the process may have been stopped meanwhile.
    // `started`: how many units the stream has started; while that rises there are stacks.
    bool lasts(std::uint32_t now_ms, std::uint64_t started) noexcept {
        if (naps_ == 0 || started != started_then_) {
            since_ = now_ms;
            started_then_ = started;
            naps_ = 0;
        }
        ++naps_;
        return naps_ < least_naps || now_ms - since_ < longest_ms;
    }

private:
    std::uint64_t started_then_ = 0;
    std::uint64_t steps_then_ = 0;
    std::uint64_t all_steps_then_ = 0;
    const void* first_ = nullptr;
    std::uint32_t since_ = 0;
    std::uint32_t still_since_ = 0;
    std::uint32_t looked_at_ = 0;
    std::uint32_t tries_ = 0;
    unsigned naps_ = 0;
    unsigned looks_ = 0;
};

}  // namespace lazult::core
