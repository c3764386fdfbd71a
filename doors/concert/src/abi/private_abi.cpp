// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/core.hpp"

namespace lazult::concert {

// A core of another layout does not load.
[[gnu::used]] const int* const layout_of_the_core = &core::this_abi::present;

}  // namespace lazult::concert
