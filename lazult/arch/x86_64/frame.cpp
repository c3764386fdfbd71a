// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/arch/x86_64/frame.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "lazult/arch/cpu.hpp"
#include "lazult/arch/saved_registers.hpp"

namespace lazult::arch {
namespace {

// The frame that lazult_switch leaves on a suspended stack.
struct suspended_frame {
    std::uint32_t mxcsr;
    std::uint32_t fpu_control_word;
    std::uint64_t r15, r14, r13, r12, rbx, rbp, rip;
};
static_assert(offsetof(suspended_frame, mxcsr) == LAZULT_FRAME_MXCSR);
static_assert(offsetof(suspended_frame, fpu_control_word) == LAZULT_FRAME_FPUCW);
static_assert(offsetof(suspended_frame, r15) == LAZULT_FRAME_R15);
static_assert(offsetof(suspended_frame, r14) == LAZULT_FRAME_R14);
static_assert(offsetof(suspended_frame, r13) == LAZULT_FRAME_R13);
static_assert(offsetof(suspended_frame, r12) == LAZULT_FRAME_R12);
static_assert(offsetof(suspended_frame, rbx) == LAZULT_FRAME_RBX);
static_assert(offsetof(suspended_frame, rbp) == LAZULT_FRAME_RBP);
static_assert(offsetof(suspended_frame, rip) == LAZULT_FRAME_RIP);
static_assert(sizeof(suspended_frame) == LAZULT_FRAME_SIZE);
static_assert(offsetof(entry_record, entry) == LAZULT_ENTRY_RECORD_ENTRY);
static_assert(offsetof(entry_record, left) == LAZULT_ENTRY_RECORD_LEFT);
static_assert(sizeof(departure) == 16, "returned in two registers");
static_assert(-LAZULT_ENTRY_RETURN <= static_cast<int>(entry_area));

constexpr saved_register registers[] = {
    {"rip", LAZULT_FRAME_RIP}, {"rbp", LAZULT_FRAME_RBP}, {"rbx", LAZULT_FRAME_RBX},
    {"r12", LAZULT_FRAME_R12}, {"r13", LAZULT_FRAME_R13}, {"r14", LAZULT_FRAME_R14},
    {"r15", LAZULT_FRAME_R15},
};

}  // namespace

constexpr saved_registers registers_kept{registers, std::size(registers), LAZULT_FRAME_SIZE, "rsp"};

const char* context_implementation() noexcept { return "x86-64 assembly"; }

}  // namespace lazult::arch
