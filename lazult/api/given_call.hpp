// SPDX-License-Identifier: BSD-3-Clause
// A call that a thread has given away: a unit makes it. Its giver awaits it once, which joins the
// unit and frees the memory. One unit makes one call. If it made two, the first could wait for the
// second, and the second would never start. In the giver's order the second ends first.
//
// All fields but the unit's results are the giver's.
//
// The unit's entry function comes from above, because the call may fork in its turn: fork_join.cpp.
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

// Which stream runs the unit: any stream, the first that comes; or an idle one that looks for work
// at present. No stream is woken for the latter, and the giver's own stream runs the unit if no
// other does.
enum class receiver : std::uint8_t { anybody, idle_stream };

// Makes and launches a unit with so much stack, that calls `entry` with the given_call as its
// argument. Null: out of memory.
detail::given_call* give_call(core::entry_function entry, detail::latent_slot::function call,
                              detail::words closure, std::size_t stack_bytes, receiver to) noexcept;
// What `refuse` throws.
std::exception_ptr thrown_by(void (*refuse)()) noexcept;
// A fork throws this if its call has ended its thread and not returned.
[[noreturn]] void refuse_unwound();
// Returns what the call threw, or null. A cancellation waits: the call may use what its giver has.
// May suspend.
std::exception_ptr await_call(detail::given_call* given, detail::words& value) noexcept;

}  // namespace lazult::api
