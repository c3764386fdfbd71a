// SPDX-License-Identifier: BSD-3-Clause
// Which calls suspend: those of ULTs that may suspend, but for calls by libraries that know nothing
// of ULTs and hold their own state meanwhile, as runtimes and memory allocators do. Those are left
// alone: they block the thread, as they do without this library.
//
// A call is made by the code to which it returns. A function whose last call is a jump leaves no
// trace there: its caller seems to have made the call. So a runtime that called such a function of
// the program by a pointer would seem to make the call. Code that calls by a pointer is therefore
// not left alone: libraries call the C library by name.
#pragma once

#include "lazult/sync/sync.hpp"

namespace lazult::posix {

// Whether the code at this address belongs to a library that is left alone: one of a fixed list, or
// one that LAZULT_POSIX_LEAVE names. May take the dynamic linker's lock.
bool is_left_alone(const void* code) noexcept;

// The ULT that a call suspends; nullptr: the call blocks the thread. `from` is the address to which
// the call returns.
inline core::work_unit* suspendable(const void* from) noexcept {
    const core::worker* const w = core::this_worker_or_null();
    if (w == nullptr || w->callbacks != 0) {
        return nullptr;
    }
    core::work_unit* const unit = sync::this_caller<>().unit;
    return unit == nullptr || is_left_alone(from) ? nullptr : unit;
}

// Forgets what is known of code, because a library was unloaded.
void forget_code() noexcept;

}  // namespace lazult::posix
