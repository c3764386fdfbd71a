// SPDX-License-Identifier: BSD-3-Clause
// A reference to a symbol of liblazult that only the same build has. This library contains inlined
// code of the core, so it must not load with a liblazult of another build.
#include "lazult/core/core.hpp"

namespace lazult::abt {
namespace {

[[gnu::used]] const int* const layout_of_the_core = &core::this_abi::present;

}  // namespace
}  // namespace lazult::abt
