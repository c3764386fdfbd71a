// SPDX-License-Identifier: BSD-3-Clause
// A call that a thread, the giver, has given away, so that a unit makes it. The giver awaits it
// once, which joins the unit and frees the memory. Each unit makes one call. If it made two, the
// first could wait for something that the second does, and the second would never start. (The giver
// itself would make the two in the opposite order.)
//
// Only the giver uses the fields, except `value` and `failure`, which the unit sets.
//
// The entry function of the unit is a parameter, because the call may fork, too: fork_join.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include <lazult/detail/latent.hpp>

#include "lazult/core/core.hpp"

namespace lazult::detail {

struct given_call {
    latent_slot::function call;
    words closure;
    words value{};
    std::exception_ptr failure{};
    core::work_unit* unit = nullptr;
};

}  // namespace lazult::detail

namespace lazult::api {

// Which stream runs the unit. anybody: the first stream that comes. idle_stream: a stream that
// looks for work now. No stream is woken for that; if no other stream takes the unit, the giver's
// own stream runs it.
enum class receiver : std::uint8_t { anybody, idle_stream };

// Makes and launches a unit with a stack of `stack_bytes`, which calls `entry` with the given_call
// as its argument. Returns null if memory is exhausted.
detail::given_call* give_call(core::entry_function entry, detail::latent_slot::function call,
                              detail::words closure, std::size_t stack_bytes, receiver to) noexcept;
// Returns the exception that `refuse` throws.
std::exception_ptr thrown_by(void (*refuse)()) noexcept;
// Throws error: canceled, for a call that has ended its thread instead of returning.
[[noreturn]] void refuse_unwound();
// Waits for the unit's end and frees it. Returns the exception of the call, or null. Cancellation
// does not end this wait, because the call may use the giver's frame. May suspend.
std::exception_ptr await_call(detail::given_call* given, detail::words& value) noexcept;

}  // namespace lazult::api
