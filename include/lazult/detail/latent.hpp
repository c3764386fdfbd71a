// SPDX-License-Identifier: BSD-3-Clause
// Calls that their caller keeps until it comes to them, or gives them away as threads. Not for
// direct use.
//
// A thread keeps them in an array of slots, the oldest first, and hands the next free slot down
// from call to call. It alone writes its slots, but for `attention`: with that, streams that have
// nothing to do ask it for work. See lazult/api/latent_slots.hpp.
//
// field      written by          read by             order
// call       the thread          the thread, askers  relaxed: askers only want to know whether
// there
//                                                    is one
// closure    the thread          the thread          none needed
// attention  the thread, askers  the thread          relaxed: a hint; the thread looks what there
// is
//                                                    to do
#pragma once

#include <lazult/detail/closure.hpp>
#include <lazult/export.hpp>

#include <atomic>
#include <cstdint>

namespace lazult::detail {

struct given_call;

struct alignas(32) latent_slot {
    // Takes the closure, and the first slot for what the call forks itself. Returns its value.
    using function = words (*)(words closure, latent_slot* next);

    // Null: free, or given away. If it was given away, closure.first is the address of the
    // given_call.
    std::atomic<function> call{nullptr};
    words closure{};
    // Not 0: the thread calls one of the functions below when it comes to this slot.
    std::atomic<std::uint32_t> attention{0};
};

enum class fork_choice : std::uint8_t {
    keep,  // put the call into the slot
    give,  // somebody waits for work, and there is no older call to give
    full,  // this is the last slot, which takes no call
};

// Whether the calling thread may have slots: it is a ULT on a stream, and no outside thread. Starts
// the runtime if need be. Throws error: cannot_suspend (in a tasklet).
LAZULT_API bool may_have_slots();
// Gives the calling thread slots, which nobody else uses until they are closed: its first ones, or,
// where it has come to the last one, more. Null: out of memory.
LAZULT_API latent_slot* open_slots(latent_slot* last) noexcept;
LAZULT_API void close_slots(latent_slot* first) noexcept;
[[noreturn]] LAZULT_API void refuse_slots();
// Of a call that ended its thread instead of returning.
[[noreturn]] LAZULT_API void refuse_unwound();

// At a slot that wants attention and has no call.
LAZULT_API fork_choice choose_fork(latent_slot* mine) noexcept;
// At a slot that wants attention and has had a call put into it. True: the call is the caller's to
// make, and the slot is free. False: somebody else has made it, and this is its value. Rethrows
// what it threw. May suspend.
LAZULT_API bool take_back(latent_slot* mine, words& value);
// Drops the call of a slot. If it was given away, waits for its end. May suspend.
LAZULT_API void abandon(latent_slot* mine) noexcept;

// Gives a call away at once, where choose_fork() has said so. Null: out of memory.
LAZULT_API given_call* give(latent_slot* mine, latent_slot::function call, words closure) noexcept;
// Waits for its end, and frees it. Rethrows. May suspend.
LAZULT_API words await(given_call* given);
// Waits for its end, frees it, and drops what it threw. May suspend.
LAZULT_API void abandon(given_call* given) noexcept;

}  // namespace lazult::detail
