// SPDX-License-Identifier: BSD-3-Clause
// Where a suspended context keeps its registers, for debuggers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::arch {

struct saved_register {
    char name[8];  // as gdb calls it
    std::uint64_t offset;
};

// The stack pointer was `frame_bytes` above the context. No registers where contexts are the
// system's own (generic).
struct saved_registers {
    const saved_register* first;
    std::size_t count;
    std::size_t frame_bytes;
    char stack_pointer[8];
};

extern const saved_registers registers_kept;

}  // namespace lazult::arch
