// SPDX-License-Identifier: BSD-3-Clause
// MPI expects the stack of an OS thread: one of them has frames of 128 KiB where it applies accumulating calls. So calls that
// may come there run on a large stack of the OS thread's if they come from a ULT or a scheduler, whose stacks are small.
#pragma once

#include <type_traits>

namespace lazult::concert {

// Calls call(argument) with a mebibyte of stack. It must not suspend.
void with_large_stack(void (*call)(void*), void* argument) noexcept;

template <class Call>
void with_large_stack(Call&& call) noexcept {
    using callable = std::remove_reference_t<Call>;
    with_large_stack([](void* c) { (*static_cast<callable*>(c))(); },
                     const_cast<void*>(static_cast<const void*>(&call)));
}

}  // namespace lazult::concert
