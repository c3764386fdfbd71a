// SPDX-License-Identifier: BSD-3-Clause
// A spin lock of the program under a std::mutex. A ULT that spins is preempted in its turn, so
// the holder would run again. But here the deferral itself forbids that: the ULT that spins holds a
// known lock, and is left alone for ever.
#include <atomic>
#include <mutex>

#include "tests/preemption/example.hpp"

namespace {

std::mutex outer;
std::atomic_flag inner;
volatile long counter = 0;

void add_under_inner() {
    // acquire: pairs with clear() below
    while (inner.test_and_set(std::memory_order_acquire)) {
    }
    for (int j = 0; j < 1000; ++j) {
        counter = counter + 1;
    }
    inner.clear(std::memory_order_release);  // pairs with test_and_set() above
}

void count(int unit) {
    for (int i = 0; i < 20'000; ++i) {
        if (unit == 0) {
            add_under_inner();
        } else {
            const std::lock_guard hold(outer);
            add_under_inner();
        }
        preemption::tick();
    }
}

void program() { preemption::run_units(3, count); }

}  // namespace

int main() {
    return preemption::show({"with a spin lock that is also taken under a std::mutex",
                             preemption::deferral::locks, program});
}
