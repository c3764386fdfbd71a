// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/arch/aarch64/frame.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "lazult/arch/cpu.hpp"
#include "lazult/arch/saved_registers.hpp"

namespace lazult::arch {
namespace {

// The frame that lazult_switch leaves on a suspended stack.
struct suspended_frame {
    std::uint64_t x29, x30;
    std::uint64_t x19_to_x28[10];
    double d8_to_d15[8];
    std::uint64_t fpcr;
    std::uint64_t padding;
};
static_assert(offsetof(suspended_frame, x29) == LAZULT_FRAME_X29);
static_assert(offsetof(suspended_frame, x30) == LAZULT_FRAME_X30);
static_assert(offsetof(suspended_frame, x19_to_x28) == LAZULT_FRAME_X19);
static_assert(offsetof(suspended_frame, d8_to_d15) == LAZULT_FRAME_D8);
static_assert(offsetof(suspended_frame, fpcr) == LAZULT_FRAME_FPCR);
static_assert(sizeof(suspended_frame) == LAZULT_FRAME_SIZE);
static_assert(offsetof(entry_record, entry) == LAZULT_ENTRY_RECORD_ENTRY);
static_assert(offsetof(entry_record, left) == LAZULT_ENTRY_RECORD_LEFT);
static_assert(sizeof(departure) == 16, "returned in two registers");
static_assert(-LAZULT_ENTRY_CALLER <= static_cast<int>(entry_area));

constexpr saved_register registers[] = {
    {"pc", LAZULT_FRAME_X30},      {"x29", LAZULT_FRAME_X29},     {"x19", LAZULT_FRAME_X19},
    {"x20", LAZULT_FRAME_X19 + 8}, {"x21", LAZULT_FRAME_X21},     {"x22", LAZULT_FRAME_X21 + 8},
    {"x23", LAZULT_FRAME_X23},     {"x24", LAZULT_FRAME_X23 + 8}, {"x25", LAZULT_FRAME_X25},
    {"x26", LAZULT_FRAME_X25 + 8}, {"x27", LAZULT_FRAME_X27},     {"x28", LAZULT_FRAME_X27 + 8},
};

}  // namespace

constexpr saved_registers registers_kept{registers, std::size(registers), LAZULT_FRAME_SIZE, "sp"};

const char* context_implementation() noexcept { return "AArch64 assembly"; }

}  // namespace lazult::arch
