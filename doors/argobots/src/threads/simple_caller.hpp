// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "units/tool.hpp"

namespace lazult::abt {

// The caller's worker, if the short ways of creating and ending are open to it: no tool listens.
// Else nullptr. Makes no call.
LAZULT_ALWAYS_INLINE worker* simple_caller() noexcept {
    worker* const w = core::this_worker_or_null();
    return probe::tsan || w == nullptr || tools_are_on() ? nullptr : w;
}

}  // namespace lazult::abt
