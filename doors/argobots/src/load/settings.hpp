// SPDX-License-Identifier: BSD-3-Clause
// The door's settings, as docs/argobots.md lists them. The library registers them when it is
// loaded. The lazult command has this component too, so that it can list and set them.
#pragma once

#include "lazult/base/base.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lazult::abt {

enum class setting : std::uint8_t { tools, affinity, null };
inline constexpr std::size_t setting_count = 3;

// The values of setting::null.
enum class null_kind : std::uint8_t { automatic, numbered, zero };

LAZULT_HIDDEN extern std::array<base::door_setting, setting_count> setting_rows;

inline const base::door_setting& row_of(setting which) noexcept {
    return setting_rows[static_cast<std::size_t>(which)];
}
inline std::uint64_t value_of(setting which) {
    base::current_settings();  // reads the environment, unless that has been done
    return row_of(which).value;
}

}  // namespace lazult::abt
