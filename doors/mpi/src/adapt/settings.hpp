// SPDX-License-Identifier: BSD-3-Clause
// The door's settings, which docs/mpi.md lists. The library registers them when it is loaded. The
// `lazult` command contains settings.cpp, too: it can list and set them where there is no MPI.
#pragma once

#include "lazult/base/base.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lazult::mpi {

enum class setting : std::uint8_t { window, poll_interval, watch, yield, collectives };
inline constexpr std::size_t setting_count = 5;

// The values of setting::collectives.
enum class collectives_form : std::uint8_t { automatic, direct, nonblocking };

[[gnu::visibility("hidden")]] extern std::array<base::door_setting, setting_count> setting_rows;

inline std::uint64_t value_of(setting which) {
    base::current_settings();  // reads the environment at the first call
    return setting_rows[static_cast<std::size_t>(which)].value;
}
inline bool is_form(collectives_form form) {
    return value_of(setting::collectives) == static_cast<std::uint64_t>(form);
}

}  // namespace lazult::mpi
