// SPDX-License-Identifier: BSD-3-Clause
// Two thread_local counters that are equal between two suspensions. They belong to the OS thread,
// so all ULTs of a stream share them, also under LAZULT_STARTED=stay.
#include "tests/preemption/example.hpp"

namespace {

thread_local volatile long first = 0;
thread_local volatile long second = 0;

void count(int /*unit*/) {
    for (int i = 0; i < 20'000'000; ++i) {
        if (first != second) {
            preemption::fail("a ULT sees two counters in the middle of another's change\n");
        }
        first = first + 1;
        second = second + 1;
        if (i % 10'000 == 0) {
            preemption::tick();
        }
    }
}

void program() { preemption::run_units(3, count); }

}  // namespace

int main() {
    return preemption::show(
        {"between two writes of thread_local variables", preemption::deferral::locks, program});
}
