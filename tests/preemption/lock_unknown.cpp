// SPDX-License-Identifier: BSD-3-Clause
// A lock that nobody can know: a word of the program, with std::atomic::wait, all of it inlined.
// std::counting_semaphore and std::latch are such words, too.
#include <atomic>

#include "tests/preemption/example.hpp"

namespace {

std::atomic<int> guard{0};
volatile long counter = 0;

void lock() {
    // acquire: pairs with unlock()
    while (guard.exchange(1, std::memory_order_acquire) != 0) {
        guard.wait(1, std::memory_order_relaxed);
    }
}
void unlock() {
    guard.store(0, std::memory_order_release);  // pairs with lock()
    guard.notify_one();
}

void count(int /*unit*/) {
    for (int i = 0; i < 20'000; ++i) {
        lock();
        for (int j = 0; j < 1000; ++j) {
            counter = counter + 1;
        }
        unlock();
        preemption::tick();
    }
}

void program() { preemption::run_units(3, count); }

}  // namespace

int main() {
    return preemption::show({"with a lock of atomics", preemption::deferral::locks, program});
}
