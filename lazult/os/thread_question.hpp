// SPDX-License-Identifier: BSD-3-Clause
// Asking another OS thread of this process something that only it can tell.
#pragma once

#include <cstdint>

namespace lazult::os {

// Runs in a signal handler, on the thread's alternate stack if it has one: only what is
// async-signal-safe.
using thread_question = void (*)(void* argument) noexcept;

// Has another thread answer, by SIGURG, which does no harm where nobody handles it; a handler that
// was there before goes on getting what others send. False when the thread does not answer in time:
// it has gone, it blocks the signal, or somebody else has taken the signal over. The question has
// then not been asked, and will not be. One caller at a time.
bool ask_thread(int id, thread_question question, void* argument, std::int64_t timeout_ns) noexcept;

}  // namespace lazult::os
