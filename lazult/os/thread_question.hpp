// SPDX-License-Identifier: BSD-3-Clause
// Asks another OS thread of this process a question that only that thread can answer.
#pragma once

#include <cstdint>

namespace lazult::os {

// Runs in a signal handler on the thread that is asked, on its alternate stack if it has one: so
// only async-signal-safe code.
using thread_question = void (*)(void* argument) noexcept;

// Runs `question` on the thread `id` by SIGURG, which does no harm where no handler is installed.
// An earlier handler still gets the signals of other senders. Returns false if the thread does not
// answer in time: it has ended, blocks the signal, or the program has replaced the handler. Then
// the question has not run and never will. One caller at a time.
bool ask_thread(int id, thread_question question, void* argument, std::int64_t timeout_ns) noexcept;

}  // namespace lazult::os
