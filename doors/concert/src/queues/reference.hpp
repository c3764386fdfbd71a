// SPDX-License-Identifier: BSD-3-Clause
// A global pointer to a packet: bits 48 to 63 are the rank within the tier, 24 to 47 the offset in
// the rank's segment, and 0 to 23 the length, so that one get brings the whole packet. Offset and
// length count units of 64 bytes. Unit 0 of a segment is no packet, so 0 stands for none.
#pragma once

#include "lazult/base/base.hpp"

#include <cstddef>
#include <cstdint>

namespace lazult::concert {

using reference = std::uint64_t;

inline constexpr std::size_t unit_bytes = base::cache_line;

namespace refer {

inline constexpr unsigned size_bits = 24;
inline constexpr unsigned offset_bits = 24;
inline constexpr std::uint64_t most_units = (std::uint64_t{1} << offset_bits) - 1;
inline constexpr unsigned most_ranks = 1U << 16;

constexpr reference to(unsigned rank, std::uint32_t unit, std::uint32_t units) noexcept {
    return (std::uint64_t{rank} << (offset_bits + size_bits)) | (std::uint64_t{unit} << size_bits) |
           units;
}
constexpr unsigned rank(reference r) noexcept {
    return static_cast<unsigned>(r >> (offset_bits + size_bits));
}
constexpr std::uint32_t unit(reference r) noexcept {
    return static_cast<std::uint32_t>((r >> size_bits) & most_units);
}
constexpr std::uint32_t units(reference r) noexcept {
    return static_cast<std::uint32_t>(r & most_units);
}

}  // namespace refer
}  // namespace lazult::concert
