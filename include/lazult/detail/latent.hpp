// SPDX-License-Identifier: BSD-3-Clause
// Calls that their caller keeps: it makes them later itself, or gives them away as threads. Not for
// direct use.
//
// A thread keeps its calls in an array of slots, the oldest first, and passes the next free slot
// down from call to call. Only the thread writes its slots, except `attention`, by which streams
// that have nothing to do ask it for work. See lazult/api/latent_slots.hpp.
//
// field      written by          read by             order
// call       the thread          the thread, askers  relaxed: askers only check that it is not null
// closure    the thread          the thread          none needed
// attention  the thread, askers  the thread          relaxed: a hint, upon which the thread looks
#pragma once

#include <lazult/detail/closure.hpp>
#include <lazult/export.hpp>

#include <atomic>
#include <cstdint>

namespace lazult::detail {

struct given_call;

struct alignas(32) latent_slot {
    // Calls the closure and returns its value. `next`: the first slot for the call's own forks.
    using function = words (*)(words closure, latent_slot* next);

    // Null: the slot is free, or its call was given away; then closure.first points to the
    // given_call.
    std::atomic<function> call{nullptr};
    words closure{};
    // Not 0: when the thread comes to this slot, it calls choose_fork() or take_back().
    std::atomic<std::uint32_t> attention{0};
};

enum class fork_choice : std::uint8_t {
    keep,  // put the call into the slot
    give,  // an idle stream asks for work, and there is no older call to give
    full,  // this is the last slot, which takes no call
};

// Returns true if the calling thread may have slots: a ULT on a stream; false for an outside
// thread. Starts the runtime if need be. Throws error: cannot_suspend (in a tasklet).
LAZULT_API bool may_have_slots();
// Returns the first of the calling thread's new slots, or null if memory is exhausted. `last`: the
// last slot that the thread has, if it has come to that; else null.
LAZULT_API latent_slot* open_slots(latent_slot* last) noexcept;
LAZULT_API void close_slots(latent_slot* first) noexcept;
[[noreturn]] LAZULT_API void refuse_slots();
// Throws error: canceled, for a call that ended its thread instead of returning.
[[noreturn]] LAZULT_API void refuse_unwound();

// Decides what the caller does with its next call. The slot wants attention and has no call.
LAZULT_API fork_choice choose_fork(latent_slot* mine) noexcept;
// Takes back the call of a slot that wants attention. True: the caller must make the call, and the
// slot is free. False: a thread has made the call, and `value` is its value. Rethrows an exception
// of the call. May suspend.
LAZULT_API bool take_back(latent_slot* mine, words& value);
// Drops the call of a slot. If it was given away, waits for its thread's end. May suspend.
LAZULT_API void abandon(latent_slot* mine) noexcept;

// Gives a call away at once, after choose_fork() has returned `give`. Null: out of memory.
LAZULT_API given_call* give(latent_slot* mine, latent_slot::function call, words closure) noexcept;
// Waits for the thread of the call, and frees it. Rethrows an exception of the call. May suspend.
LAZULT_API words await(given_call* given);
// Waits for the thread of the call, frees it, and drops its exception. May suspend.
LAZULT_API void abandon(given_call* given) noexcept;

}  // namespace lazult::detail
