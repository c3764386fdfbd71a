// SPDX-License-Identifier: BSD-3-Clause
// Keeps an address of a thread_local variable over a suspension, which the checker must find.
#include <lazult/runtime.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>

namespace {

thread_local int counter = 0;

[[gnu::noinline]] int& counter_here() {
    asm volatile("");  // compilers do not look through this
    return counter;
}

}  // namespace

int main() {
    const lazult::runtime runtime({.streams = 3});
    lazult::thread([] {
        int& kept = counter_here();
        lazult::this_thread::yield();
        ++kept;
    }).join();
    return counter_here();
}
