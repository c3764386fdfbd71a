// SPDX-License-Identifier: BSD-3-Clause
// Stacks: their layout in memory, and stacks that are not ours to allocate. Ours are carved from
// slabs (stack_slab.hpp) and wait in caches (stack_cache.hpp).
//
// A stack's own header stands at its high end, in the page that its first frame touches anyhow.
// Headers are staggered: the i-th stack of a slab gives up (i mod 24) x 128 bytes, so that the hot
// ends of neighbouring stacks do not compete for the same cache sets.
//
//   base          low                                                   top
//   | guard page | usable, grows downwards  <----------------  first frame | header | stagger |
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/arch/arch.hpp"
#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::core {

class stack_cache;
struct stack_slab;

// Sizes are powers of two; a class is the exponent. A larger class costs address space only.
inline constexpr std::uint8_t smallest_stack_class = 12;
inline constexpr std::uint8_t largest_stack_class = 30;
std::uint8_t stack_class_for(std::size_t bytes) noexcept;

// The header of a stack. Each use of the stack looks at the first half of the header only. That
// half shares a cache line with the first frame, which lies below it.
struct alignas(32) stack {
    std::byte* low = nullptr;      // lowest usable byte
    stack_cache* owner = nullptr;  // nullptr: not from a slab, but an OS thread's or a user's
    stack* next = nullptr;
    unsigned valgrind_id = 0;
    std::uint8_t size_class = 0;
    // size_class, or 0: look at the canary before the stack is used again
    std::uint8_t recycle_class = 0;
    os::guard_method guard = os::guard_method::none;
    bool is_measured = false;   // it was empty when its unit started: see stack_use.hpp
    std::byte* base = nullptr;  // lowest byte of the guard, or of the user's memory
    // end of the usable bytes: where the header is, if that stands in the stack's own memory
    std::byte* high = nullptr;
    void* fiber = nullptr;  // ThreadSanitizer's fiber for the stack
    stack_slab* slab = nullptr;

    // Returns where the header stands in a stack's own memory. `end`, a multiple of a cache line,
    // is the end of that memory.
    static stack* header_below(std::byte* end) noexcept {
        return reinterpret_cast<stack*>(end - sizeof(stack) - base::cache_line / 2);
    }

    std::byte* top() noexcept { return reinterpret_cast<std::byte*>(this); }
    std::size_t usable() const noexcept { return static_cast<std::size_t>(high - low); }
    // Returns how many bytes are left below a frame of this stack.
    std::size_t headroom_below(const std::byte* position) const noexcept {
        return static_cast<std::size_t>(position - low);
    }
};

// Clears the red zones of frames that never returned. Another unit may have left them on the stack.
LAZULT_INLINE_BY_FORCE void cleanse(stack* s) noexcept {
    if constexpr (probe::asan) {
        probe::asan_unpoison(s->low, s->usable());
    }
}

// Describes a stack that is not ours to allocate. The header is the caller's.
void describe_stack(stack& header, std::byte* low, std::byte* high) noexcept;

// Places a header at the high end of a user's memory. Returns nullptr if the memory is smaller than
// smallest_user_stack. With a guard, the lowest whole page may not be touched until the stack is
// disowned. If the stack is too small for a guard, or its memory cannot be protected, it gets none.
inline constexpr std::size_t smallest_user_stack = 2048;
enum class user_guard : std::uint8_t { without, with };
stack* adopt_user_stack(void* memory, std::size_t bytes,
                        user_guard guard = user_guard::without) noexcept;
void disown_user_stack(stack* s) noexcept;

}  // namespace lazult::core
