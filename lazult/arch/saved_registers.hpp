// SPDX-License-Identifier: BSD-3-Clause
// Where a suspended context keeps its registers, for debuggers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::arch {

struct saved_register {
    char name[8];          // the name in gdb
    std::uint64_t offset;  // bytes from the context
};

// The registers in a saved context. The stack pointer of the suspended code is `frame_bytes` above
// the context. There are no registers with ucontext (generic/).
struct saved_registers {
    const saved_register* first;
    std::size_t count;
    std::size_t frame_bytes;
    char stack_pointer[8];
};

extern const saved_registers registers_kept;

}  // namespace lazult::arch
