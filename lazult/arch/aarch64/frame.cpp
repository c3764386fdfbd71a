// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/arch/aarch64/frame.h"

#include <cstddef>
#include <cstdint>

#include "lazult/arch/context.hpp"
#include "lazult/arch/cpu.hpp"

namespace lazult::arch {
namespace {

// What lazult_switch leaves on a suspended stack.
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
static_assert(offsetof(flow, entry) == LAZULT_FLOW_ENTRY);
static_assert(offsetof(flow, left) == LAZULT_FLOW_LEFT);
static_assert(sizeof(departure) == 16, "returned in two registers");
static_assert(-LAZULT_ENTRY_CALLER <= static_cast<int>(entry_area));

}  // namespace

const char* context_implementation() noexcept {
    return "AArch64 assembly";
}

}  // namespace lazult::arch
