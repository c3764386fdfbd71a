// SPDX-License-Identifier: BSD-3-Clause
// Which calls suspend: those of ULTs that may suspend, but for calls by libraries that know nothing
// of ULTs and hold their own state meanwhile, as runtimes and memory allocators do. Those are left
// alone: they block the thread, as they do without this library.
//
// The return address of a call tells which library made it. If a function ends with a call, the
// compiler makes that a jump (a tail call), and the return address lies in the function's caller.
// So a tail call of the program's function seems to come from the runtime that called this function
// by a pointer. Libraries call the C library by name. So a call site that calls by a pointer is not
// left alone.
#pragma once

#include "lazult/sync/sync.hpp"

namespace lazult::posix {

// Whether the code at this address belongs to a library that is left alone: one of a fixed list, or
// one that LAZULT_POSIX_LEAVE names. May take the dynamic linker's lock.
bool is_left_alone(const void* code) noexcept;

// The ULT that calls; nullptr in other threads, and where a call must block the thread: in
// functions of the program's that the runtime calls.
inline core::work_unit* calling_unit() noexcept {
    const core::worker* const w = core::this_worker_or_null();
    return w == nullptr || w->callbacks != 0 ? nullptr : sync::this_caller<>().unit;
}

// The ULT that a call suspends; nullptr: the call blocks the thread. `from` is the address to which
// the call returns.
inline core::work_unit* suspendable(const void* from) noexcept {
    core::work_unit* const unit = calling_unit();
    return unit == nullptr || is_left_alone(from) ? nullptr : unit;
}

// Forgets what is known of code, because a library was unloaded.
void forget_code() noexcept;

}  // namespace lazult::posix
