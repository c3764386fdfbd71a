// SPDX-License-Identifier: BSD-3-Clause
#include "contexts/simulated_rank.hpp"

#include "lazult/ds/ds.hpp"

#include <lazult_concert/cache.hpp>

namespace lazult::concert {
namespace {

// relaxed: the thread that tells a caller of the change synchronises with it anyway
constinit ds::default_atomics::atomic<std::uint64_t> epoch{1};

}  // namespace

// A simulated rank has an epoch of its own, a number that no rank has had before.
std::uint64_t detail::cache_epoch() noexcept {
    if (const simulated_identity* const me = simulated_here(); me != nullptr) LAZULT_UNLIKELY {
        return me->cache_epoch;
    }
    return epoch.load(std::memory_order_relaxed);
}

void forget_cached() noexcept {
    const std::uint64_t before = epoch.fetch_add(1, std::memory_order_relaxed);
    if (simulated_identity* const me = simulated_here(); me != nullptr) LAZULT_UNLIKELY {
        me->cache_epoch = before + 1;
    }
}

}  // namespace lazult::concert
