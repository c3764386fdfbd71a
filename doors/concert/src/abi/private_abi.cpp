// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/core.hpp"

namespace lazult::concert {

// Needs a symbol that names the layout, so that this library loads with no core of another layout.
[[gnu::used]] const int* const layout_of_the_core = &core::this_abi::present;

}  // namespace lazult::concert
