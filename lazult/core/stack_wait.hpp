// SPDX-License-Identifier: BSD-3-Clause
// How long a stream waits for a stack when there is no memory for one: while others may still give some back.
//
// By one thread. Times are in milliseconds, of a clock of the caller's that may wrap around.
#pragma once

#include <cstdint>

namespace lazult::core {

class stack_wait {
public:
    static constexpr std::uint32_t longest_ms = 10'000;
    static constexpr unsigned least_naps = 1'000;

    // A stack has been found.
    void end() noexcept { naps_ = 0; }

    // After a nap. False when it is time to give up: by the clock, as on a busy machine so many naps would be minutes, and by
    // some naps, as the process may have been stopped meanwhile. `started`: how many units the stream has started; while that
    // rises there are stacks.
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
    std::uint32_t since_ = 0;
    unsigned naps_ = 0;
};

}  // namespace lazult::core
