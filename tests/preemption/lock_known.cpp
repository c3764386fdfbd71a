// SPDX-License-Identifier: BSD-3-Clause
// A ULT that is preempted with a std::mutex: the next one waits for it in the kernel, where the
// instruction is libc's, so it is not preempted, and the holder never runs again.
#include <mutex>

#include "tests/preemption/example.hpp"

namespace {

std::mutex guard;
volatile long counter = 0;

void count(int /*unit*/) {
    for (int i = 0; i < 20'000; ++i) {
        const std::lock_guard hold(guard);
        for (int j = 0; j < 1000; ++j) {
            counter = counter + 1;
        }
        preemption::tick();
    }
}

void program() { preemption::run_units(3, count); }

}  // namespace

int main() { return preemption::show({"with a std::mutex", preemption::deferral::chain, program}); }
