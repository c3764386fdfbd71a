// SPDX-License-Identifier: BSD-3-Clause
// What a fuzzer has: one function. In the preset `fuzz` libFuzzer makes up the bytes; in every
// other build the kept ones are tried (replay.cpp).
#pragma once

#include <cstdint>
#include <span>

namespace lazult::fuzz {

// Comes back if nothing is wrong, and ends the process otherwise.
void try_bytes(std::span<const std::uint8_t> bytes);

}  // namespace lazult::fuzz
