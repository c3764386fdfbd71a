// SPDX-License-Identifier: BSD-3-Clause
// Who has which of a unit's user_bits.
//
//   bits         whose
//   0x00ff       the door's of which the unit is. Two doors may have the same bit: each looks only
//                at units of its own.
//   0x7f00       kinds. Each belongs to one door, so one bit tells whose a unit is.
//   0x8000       the core's: unit_header::blocks_thread
#pragma once

#include <cstdint>

namespace lazult::core {

inline constexpr std::uint16_t all_unit_kinds = 0x7f00;

// Registers the kinds of a door's units. The door's library has one object of this class, so it
// registers them when it is loaded, and withdraws them when it is unloaded. Fatal where another
// door has one of these kinds, for either would take the other's units for its own.
class unit_kinds {
public:
    unit_kinds(std::uint16_t kinds, const char* door) noexcept;
    ~unit_kinds();
    unit_kinds(const unit_kinds&) = delete;
    unit_kinds& operator=(const unit_kinds&) = delete;

private:
    std::uint16_t kinds_;
};

// The kinds that no door has registered.
std::uint16_t free_unit_kinds() noexcept;

}  // namespace lazult::core
