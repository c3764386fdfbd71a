// SPDX-License-Identifier: BSD-3-Clause
// The function of a pthread_once: the program's code, called by libc, with libc's word in the
// state "under way". The next ULT of the stream waits for that in the kernel.
#include <pthread.h>

#include <array>

#include "tests/preemption/example.hpp"

namespace {

constexpr int rounds = 3000;
std::array<pthread_once_t, rounds> words;  // zero is PTHREAD_ONCE_INIT
volatile long counter = 0;

void compute() {
    for (int i = 0; i < 20'000; ++i) {
        counter = counter + 1;
    }
}

void call_all(int /*unit*/) {
    for (pthread_once_t& each : words) {
        pthread_once(&each, compute);
        preemption::tick();
    }
}

void program() { preemption::run_units(3, call_all); }

}  // namespace

int main() {
    return preemption::show(
        {"in the function of pthread_once()", preemption::deferral::instruction, program});
}
