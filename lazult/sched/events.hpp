// SPDX-License-Identifier: BSD-3-Clause
// Callbacks that streams poll now and then: progress of a network, completion queues.
#pragma once

#include <cstdint>

#include "lazult/core/core.hpp"

namespace lazult::sched {

// Returns how many completions it found. Runs on any stream, one stream at a time; must not suspend.
using event_callback = int (*)(void*);

// Thread-safe. The id is never 0; 0 means that memory is exhausted.
std::uint64_t add_event_callback(event_callback callback, void* argument) noexcept;
// When it returns, the callback does not run any more and will not again.
void remove_event_callback(std::uint64_t id) noexcept;

bool has_event_callbacks() noexcept;
// Polls all callbacks, unless another stream does so at this moment. Returns the completions.
int poll_events() noexcept;

// The longest that a stream with registered callbacks sleeps.
inline constexpr std::int64_t event_sleep_ns = 100'000;

}  // namespace lazult::sched
