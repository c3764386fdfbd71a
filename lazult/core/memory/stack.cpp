// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/memory/stack.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace lazult::core {

std::uint8_t stack_class_for(std::size_t bytes) noexcept {
    const auto wanted =
        static_cast<std::uint8_t>(std::bit_width(bytes <= 1 ? std::size_t{1} : bytes - 1));
    return std::clamp(wanted, smallest_stack_class, largest_stack_class);
}

void describe_stack(stack& header, std::byte* low, std::byte* high) noexcept {
    header.base = low;
    header.low = low;
    header.high = high;
    header.owner = nullptr;
    header.fiber = probe::fiber_current();
    header.size_class = stack_class_for(static_cast<std::size_t>(high - low));
}

namespace {

void guard_user_stack(stack& s) noexcept {
    const std::size_t page = os::page_size();
    auto* first = reinterpret_cast<std::byte*>(
        (reinterpret_cast<std::uintptr_t>(s.base) + page - 1) & ~(page - 1));
    if (first + page + smallest_user_stack > s.high) {
        return;
    }
    if (os::install_guard(first, page, os::guard_method::mprotect) == os::guard_method::mprotect) {
        s.guard = os::guard_method::mprotect;
        s.low = first + page;
    }
}

}  // namespace

stack* adopt_user_stack(void* memory, std::size_t bytes, user_guard guard) noexcept {
    if (memory == nullptr || bytes < smallest_user_stack) {
        return nullptr;
    }
    auto* low = static_cast<std::byte*>(memory);
    const auto end =
        reinterpret_cast<std::uintptr_t>(low + bytes) & ~(std::uintptr_t{base::cache_line} - 1);
    auto* s = new (stack::header_below(reinterpret_cast<std::byte*>(end))) stack;
    describe_stack(*s, low, s->top());
    if (guard == user_guard::with) {
        guard_user_stack(*s);
    }
    s->fiber = probe::fiber_create();
    s->valgrind_id = probe::valgrind_register_stack(s->low, s->top());
    return s;
}

void disown_user_stack(stack* s) noexcept {
    if (s->guard == os::guard_method::mprotect) {
        const std::size_t page = os::page_size();
        os::remove_guard(s->low - page, page, s->guard);
    }
    probe::valgrind_deregister_stack(s->valgrind_id);
    if (probe::tsan) {
        probe::fiber_destroy(s->fiber);
    }
}

}  // namespace lazult::core
