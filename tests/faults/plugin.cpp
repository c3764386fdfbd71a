// SPDX-License-Identifier: BSD-3-Clause
// For unloading.cpp: a library that uses Lazult, which the program does not know of.
#include "work.hpp"

// The runtime ends with the call.
extern "C" [[gnu::visibility("default")]] int work_and_stop() {
    const lazult::runtime two(lazult::options{.streams = 2});
    return lazult::faults::work();
}

// It goes on: its streams are there, and sleep, when the library is closed.
extern "C" [[gnu::visibility("default")]] int work_and_stay() { return lazult::faults::work(); }

// A timer is armed, too, and its thread there.
extern "C" [[gnu::visibility("default")]] int sleep_and_stay() {
    lazult::thread([] { lazult::this_thread::sleep_for(std::chrono::milliseconds(1)); }).join();
    return 0;
}
