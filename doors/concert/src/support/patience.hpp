// SPDX-License-Identifier: BSD-3-Clause
// What a waiter, which mostly waits for other ranks, does between two looks.
#pragma once

#include "support/waits.hpp"

#include <cstdint>

namespace lazult::concert {

// First the waiter spins, because another rank that runs will soon come. Then it gives way to other
// ULTs, and to other threads of the processor, which may be the ranks that it waits for. After
// LAZULT_IDLE_SPIN, or once giving way took a time slice, it sleeps, longer each time, up to 100 us
// as idle streams do. If it went on giving way, it would lose a time slice to other programs at
// each look, while the system prefers a thread that has slept. A ULT sleeps only while its stream
// would do nothing but look for events.
class patience {
public:
    // `what` is for traces.
    explicit patience(own_wait what) noexcept : what_(what) {}

    // Called after a look that found nothing. The caller is never cancelled here.
    void pause() noexcept;
    // Called after a look that found something.
    void restart() noexcept {
        looks_ = 0;
        is_to_nap_ = false;
        began_ns_ = 0;
        nap_ns_ = shortest_nap_ns;
    }
    // Returns how long the caller has waited since it stopped spinning; 0 while it still spins.
    std::int64_t waited_ns() const noexcept;

private:
    static constexpr std::int64_t shortest_nap_ns = 20'000;

    void note_beginning() noexcept;
    void give_way() noexcept;

    own_wait what_;
    unsigned looks_ = 0;
    bool is_to_nap_ = false;
    std::int64_t began_ns_ = 0;
    std::int64_t nap_ns_ = shortest_nap_ns;
};

}  // namespace lazult::concert
