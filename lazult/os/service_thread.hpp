// SPDX-License-Identifier: BSD-3-Clause
// OS threads of the runtime's own, beside its streams.
#pragma once

#include <thread>
#include <utility>

#include <signal.h>

namespace lazult::os {

// While one exists the calling thread takes no signals, and those that it makes begin so.
class signals_blocked {
public:
    signals_blocked() noexcept;
    ~signals_blocked();
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

private:
    sigset_t before_;
};

// By the new thread: it takes the name, and may run wherever the process may.
void enter_service(const char* name) noexcept;

// Signals are for the program's own threads, so it takes none. Its maker may be a stream that is
// bound to one processor: it is not. Throws what std::thread throws, and std::bad_alloc. The name
// stays where it is; body() does not throw.
template <class Body>
std::thread start_service_thread(const char* name, Body body) {
    const signals_blocked quiet;
    return std::thread([name, mine = std::move(body)]() mutable noexcept {
        enter_service(name);
        mine();
    });
}

}  // namespace lazult::os
