// SPDX-License-Identifier: BSD-3-Clause
// Says when a waiting caller yields its processor, and when it stops spinning.
#pragma once

#include <cstdint>

namespace lazult::omp {

// A spinning unit yields its processor after so many rounds, because the thread that it waits for
// may need it.
inline constexpr std::uint32_t rounds_per_yield = 32;

// Decides how long a waiting OS thread looks before it sleeps. In a crowd (crowd.hpp) the thread
// yields at each look, because a yield costs a third of a sleep and a wake-up. Its next turn may
// come late, so it yields a few times even if its time is over. If another program wants the
// processor (contention.hpp), the thread does not yield. Then it sleeps at once in a crowd.
// Otherwise it spins for a short time, or for as long as active waiting asks.
class patience {
public:
    // `rivals` is what rivals_for_processor() returned. While it is 1, lasts() asks again.
    explicit patience(int rivals = 1) noexcept : rivals_(rivals) {}
    bool is_crowded() const noexcept { return rivals_ > 1; }
    // Yields the processor, unless another program wants it.
    void yield() noexcept;
    // Called between two looks, about a microsecond apart. Yields in a crowd. Returns false when it
    // is time to sleep.
    bool lasts() noexcept;

private:
    std::int64_t ends_at_ = 0;
    std::uint32_t turns_ = 0;
    int rivals_;
};

// Waits for a few instructions of another unit. That unit may be ready on this OS thread, or its
// thread may have lost its processor: so pause() now and then yields to other units and OS threads.
class short_wait {
public:
    void pause() noexcept;

private:
    std::uint32_t rounds_ = 0;
};

}  // namespace lazult::omp
