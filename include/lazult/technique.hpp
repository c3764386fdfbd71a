// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a ULT starts. Source: Iwasaki et al., SC18, Table I.
#pragma once

#include <lazult/export.hpp>

#include <cstdint>
#include <string_view>

namespace lazult {

/// What each saves and when: see docs/techniques.md. All mix freely, also in one pool. Where a
/// technique's need is not met, the next one up is taken silently and counted in
/// statistics().fallbacks.
enum class technique : std::uint8_t {
    full,                  ///< a stack from its creation on
    lazy_stack,            ///< a stack from its start on
    return_on_completion,  ///< lazy_stack, but its end is a plain return unless it suspended
    /// a plain call on a stack of its own; the scheduler restarts if it suspends
    stack_separation,
    scheduler_creation,  ///< a plain call on the scheduler's stack, which it keeps if it suspends
    run_to_completion,   ///< a plain call that may never suspend
    adaptive,            ///< the best of these by what ULTs of the same function did lately
    /// what options::how or LAZULT_TECHNIQUE says; adaptive unless they say otherwise
    configured = 255,
};

/// "scheduler_creation". Thread-safe.
LAZULT_API std::string_view name(technique how) noexcept;

}  // namespace lazult
