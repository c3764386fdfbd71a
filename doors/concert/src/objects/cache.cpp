// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/ds.hpp"

#include <lazult_concert/cache.hpp>

namespace lazult::concert {
namespace {

// relaxed: the thread that tells a caller of the change synchronises with it anyway
constinit ds::default_atomics::atomic<std::uint64_t> epoch{1};

}  // namespace

std::uint64_t detail::cache_epoch() noexcept { return epoch.load(std::memory_order_relaxed); }

void forget_cached() noexcept { epoch.fetch_add(1, std::memory_order_relaxed); }

}  // namespace lazult::concert
