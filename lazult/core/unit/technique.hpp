// SPDX-License-Identifier: BSD-3-Clause
// The techniques by which a ULT starts. Source: Iwasaki et al., SC18, Table I.
#pragma once

#include <cstdint>

#include "lazult/base/base.hpp"

namespace lazult::core {

using technique = base::technique_kind;
inline constexpr int technique_count = 7;

// How a unit really started: by a technique, or
//   not_started   it has not run since it was created or revived
//   in_place      its joiner called it on the joiner's own stack
enum class start_mode : std::uint8_t {
    full = static_cast<std::uint8_t>(technique::full),
    lazy_stack = static_cast<std::uint8_t>(technique::lazy_stack),
    return_on_completion = static_cast<std::uint8_t>(technique::return_on_completion),
    stack_separation = static_cast<std::uint8_t>(technique::stack_separation),
    scheduler_creation = static_cast<std::uint8_t>(technique::scheduler_creation),
    run_to_completion = static_cast<std::uint8_t>(technique::run_to_completion),
    in_place,
    not_started,
};

constexpr start_mode mode_of(technique how) noexcept { return static_cast<start_mode>(how); }

// Whether a joiner may call a unit of this technique on its own stack.
inline bool runs_on_caller(technique how) noexcept {
    return how == technique::scheduler_creation || how == technique::run_to_completion;
}

}  // namespace lazult::core
