// SPDX-License-Identifier: BSD-3-Clause
// This library inlines much of the core, so it does not load with a liblazult of another build:
// that lacks this symbol.
#include "lazult/core/core.hpp"

namespace lazult::abt {
namespace {

[[gnu::used]] const int* const layout_of_the_core = &core::this_abi::present;

}  // namespace
}  // namespace lazult::abt
