// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "units/tool.hpp"

namespace lazult::abt {

// Returns the caller's worker if the short cuts for creating and joining may be used: no tool
// listens, and ThreadSanitizer is off. Otherwise returns nullptr. It makes no call itself.
LAZULT_ALWAYS_INLINE worker* simple_caller() noexcept {
    worker* const w = core::this_worker_or_null();
    return probe::tsan || w == nullptr || tools_are_on() ? nullptr : w;
}

}  // namespace lazult::abt
