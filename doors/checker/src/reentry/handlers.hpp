// SPDX-License-Identifier: BSD-3-Clause
// Whether the calling OS thread runs a signal handler. A handler may have interrupted a function
// that holds a lock, for which the checker's work would wait. So what handlers do is not checked.
#pragma once

#include <csignal>

namespace lazult::checker {

// A signal handler of the program. One of one parameter is called with three, too.
struct handler {
    void (*function)(int, siginfo_t*, void*) = nullptr;
    bool takes_information = false;  // the program gave SA_SIGINFO
};

// For the numbers of signals that exist. What the program has set last:
handler handler_of(int number) noexcept;
void keep_handler(int number, handler of_program) noexcept;
// Stands before the program's handlers. One that never returns leaves its thread unchecked.
void run_handler(int number, siginfo_t* info, void* context);

// False also in handlers that were set before the checker was loaded.
bool is_in_signal_handler() noexcept;

}  // namespace lazult::checker
