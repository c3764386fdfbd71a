// SPDX-License-Identifier: BSD-3-Clause
// How long a stream waits for a stack when there is no memory for one, while other units may still
// give stacks back: ten seconds if some unit runs, or is going to be woken, and a moment if nothing
// in the process moves any more.
//
// For one thread. Times are in milliseconds, of a clock of the caller's that may wrap around.
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

    // Ends the wait, because a stack has been found.
    void end() noexcept {
        naps_ = 0;
        first_ = nullptr;
    }

    // Called for a unit that goes to the back of its pool because there is no stack for it. Returns
    // whether all others there have been tried since something ran here, so that it is time for a
    // nap. `steps`: how many starts and suspensions the stream has counted.
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
        first_ = unit;  // another stream may run the former first unit by now
        tries_ = 0;
        return true;
    }

    // Returns whether it is time for a look at all streams.
    bool is_look_due(std::uint32_t now_ms) noexcept {
        if (now_ms - looked_at_ < least_between_looks_ms) {
            return false;
        }
        looked_at_ = now_ms;
        return true;
    }
    // Called after a look at all streams. Returns whether nothing moves any more, so that no unit
    // is going to give a stack back. `steps`: the starts and suspensions of all streams.
    bool stands_still(std::uint32_t now_ms, std::uint64_t steps, bool others_may_go_on) noexcept {
        if (looks_ == 0 || steps != all_steps_then_ || others_may_go_on) {
            still_since_ = now_ms;
            all_steps_then_ = steps;
            looks_ = 0;
        }
        ++looks_;
        return looks_ > least_looks && now_ms - still_since_ >= longest_standstill_ms;
    }

    // Called after a nap. Returns false when it is time to give up. That takes ten seconds, as on a
    // busy machine a number of naps could be minutes; and a number of naps, as the process may have
    // been stopped meanwhile. `started`: the stream's starts; while that number rises there are
    // stacks.
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
