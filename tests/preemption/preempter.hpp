// SPDX-License-Identifier: BSD-3-Clause
// Preemption by signal, as a prototype outside the library: a timer interrupts each OS thread that
// runs units, and the handler yields in the name of the ULT that it finds there, on that ULT's
// stack. docs/preemption.md says what comes of it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace preemption {

// What puts a preemption off. Each level includes those before it.
enum class deferral : std::uint8_t {
    none,
    instruction,  // the instruction is not the program's own: it is in libc, say
    chain,        // a word on the ULT's stack looks like an address in code of a library
    locks,        // the ULT holds a pthread_mutex_t
};
inline constexpr int levels = 4;
const char* name_of(deferral level);

// Written by the handler alone, on one OS thread; read when no timer runs any more.
struct figures {
    std::uint64_t signals = 0;
    std::array<std::uint64_t, levels> safe{};  // signals that this level would not put off
    std::uint64_t row = 0;                     // signals in a row that the last level puts off
    std::uint64_t longest_row = 0;
};

// From now on preemptible() has a timer on each OS thread that comes there. Once in a process.
void preempt(std::chrono::microseconds quantum, deferral level);
// The same, but the handler only counts and does not yield.
void count_safe_places(std::chrono::microseconds quantum);
const figures& counted();

// What is known of the ULT that runs on this OS thread. The handler takes it along.
struct running {
    const void* root = nullptr;  // the frame of preemptible(); null: no preemption here
    int locks = 0;               // pthread_mutex_t that the ULT holds or waits for
};
// Of the OS thread that calls. Never inlined, because a compiler would keep the address.
[[gnu::noinline]] running& running_here();

void enter(const void* root);
void leave();

// Calls body(). Within the call the ULT may be preempted. body() calls nothing of Lazult.
template <class F>
[[gnu::noinline]] void preemptible(F body) {
    enter(__builtin_frame_address(0));
    body();
    leave();
}

}  // namespace preemption
