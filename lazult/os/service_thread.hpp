// SPDX-License-Identifier: BSD-3-Clause
// OS threads for the runtime's own work, which are not streams.
#pragma once

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include "lazult/base/base.hpp"

namespace lazult::os {

// While such an object exists, the calling thread, and threads that it starts, receive no signals.
class signals_blocked {
public:
    signals_blocked() noexcept;
    ~signals_blocked();
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

private:
    sigset_t before_;
};

// The new thread calls this: it sets its name, and may then run on all processors of the process.
void enter_service(const char* name) noexcept;

// Starts a thread that runs body(), which must not throw. The thread receives no signals, because
// these are for the program's own threads. It is not bound to one processor, though its creator may
// be. `name` must stay valid. Throws what std::thread throws, and std::bad_alloc.
template <class Body>
std::thread start_service_thread(const char* name, Body body) {
    const signals_blocked quiet;
    return std::thread([name, mine = std::move(body)]() mutable noexcept {
        enter_service(name);
        mine();
    });
}

// The same, into `thread`. False: no OS thread is to be had, or no memory.
template <class Body>
bool try_start_service_thread(std::thread& thread, const char* name, Body body) noexcept {
    try {
        return base::has_memory_for([&] { thread = start_service_thread(name, std::move(body)); });
    } catch (const std::system_error&) {
        return false;
    }
}

// t.join(), as a call of this library: one that the C++ library makes might be taken for a call of
// the program, and suspend a ULT (doors/posix).
void join_thread(std::thread& t) noexcept;

}  // namespace lazult::os
