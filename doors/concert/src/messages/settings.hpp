// SPDX-License-Identifier: BSD-3-Clause
// The door's settings, as docs/messages.md lists them. The library registers them when it is
// loaded. The lazult command has this component too, so that it can list and set them without any
// MPI.
#pragma once

#include "lazult/base/base.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lazult::concert {

enum class setting : std::uint8_t {
    scheme,
    tiers,
    aggregate,
    delay,
    max_message,
    pool,
    backlog,
    slots,
    node,
    calls,
    slice
};
inline constexpr std::size_t setting_count = 11;

[[gnu::visibility("hidden")]] extern std::array<base::door_setting, setting_count> setting_rows;

inline const base::door_setting& row_of(setting which) noexcept {
    return setting_rows[static_cast<std::size_t>(which)];
}

// Of loops of calls on real ranks.
inline std::int64_t slice_of_settings() noexcept {
    return static_cast<std::int64_t>(row_of(setting::slice).value);
}

}  // namespace lazult::concert
