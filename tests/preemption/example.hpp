// SPDX-License-Identifier: BSD-3-Clause
// A program that is right without preemption and fails with it. Each run is a child process.
#pragma once

#include <functional>

#include "tests/preemption/preempter.hpp"

namespace preemption {

struct example {
    const char* place;                            // where the ULT is when it is preempted
    deferral defeated;                            // the highest level that does not help
    void (*program)();                            // ends by itself if all is right, or calls fail()
    bool is_cured = defeated != deferral::locks;  // whether the next level helps
};

// Shows that the program is right without preemption, fails with it, and is right at the next
// level if that helps. main() returns the outcome: 0 if all of that was seen.
int show(const example& each);

// Calls body() in a child process. Returns whether that exits with 0.
bool in_child(const std::function<void()>& body);

// For programs.

// Runs body(0) to body(count - 1) as preemptible ULTs of one pool.
void run_units(int count, const std::function<void(int)>& body, int streams = 1);
// Says that the program goes on. Where that is not said for a second, the program hangs.
void tick();
// Ends the program because of a wrong value. Calls nothing that takes a lock.
[[noreturn]] void fail(const char* what);

}  // namespace preemption
