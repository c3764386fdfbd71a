// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a ULT gets its stack and starts. Source: Iwasaki et al., SC18, Table I.
#pragma once

#include <lazult/export.hpp>

#include <cstdint>
#include <string_view>

namespace lazult {

/// docs/techniques.md says what each technique saves and when. ULTs of all techniques mix freely,
/// also in one pool. If a technique cannot be used, one above it in this list is used instead,
/// and statistics().fallbacks counts that.
enum class technique : std::uint8_t {
    full,                  ///< a stack from the creation on
    lazy_stack,            ///< a stack from the start on
    return_on_completion,  ///< lazy_stack, but a ULT that never suspended ends by a plain return
    /// a plain call on a stack of its own; if the ULT suspends, the scheduler's loop begins anew
    stack_separation,
    /// a plain call on the scheduler's stack; if the ULT suspends, it keeps that stack
    scheduler_creation,
    run_to_completion,  ///< a plain call that may never suspend
    adaptive,           ///< chosen for each function by what its ULTs did lately
    /// what options::how or LAZULT_TECHNIQUE says; adaptive unless they say otherwise
    configured = 255,
};

/// Returns the name of a technique, such as "scheduler_creation". Thread-safe.
LAZULT_API std::string_view name(technique how) noexcept;

}  // namespace lazult
