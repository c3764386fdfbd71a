// SPDX-License-Identifier: BSD-3-Clause
// What a return address tells of the call that returns there.
#pragma once

#include <cstdint>

namespace lazult::arch {

// Whether the call that returns to this address went through a pointer in a register or in memory.
// A call by name goes to a fixed place, or through a slot of the linker's table beside the code.
// Returns false where that cannot be told from the code.
inline bool calls_by_pointer([[maybe_unused]] const void* return_address) noexcept {
#if defined(LAZULT_ARCH_X86_64)
    // Source: Intel's manual, volume 2, CALL: E8 rel32; FF /2, of which 15 is relative to the code.
    const auto* const after = static_cast<const std::uint8_t*>(return_address);
    if (after[-6] == 0xff && after[-5] == 0x15) {
        return false;
    }
    // One register, or memory at a register: two bytes. No offset in one library ends like this.
    const bool is_short =
        after[-2] == 0xff && ((after[-1] & 0xf8) == 0xd0 || (after[-1] & 0xf8) == 0x10);
    return is_short || after[-5] != 0xe8;
#else
    return false;
#endif
}

}  // namespace lazult::arch
