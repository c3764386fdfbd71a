// SPDX-License-Identifier: BSD-3-Clause
// Sizes of memory, in bytes.
#pragma once

#include <cstddef>

namespace lazult::support {

inline constexpr std::size_t mib = std::size_t{1} << 20;

}  // namespace lazult::support
