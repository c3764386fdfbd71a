// SPDX-License-Identifier: BSD-3-Clause
// The initialisation of static variables: the C++ library has marked the variable as under way and
// returned, so the lock is held with only the program's frames on the stack.
#include <utility>

#include "tests/preemption/example.hpp"

namespace {

volatile long counter = 0;

long compute() {
    for (int i = 0; i < 20'000; ++i) {
        counter = counter + 1;
    }
    return counter;
}

// Each instance has a variable of its own.
template <int number>
long value() {
    static const long computed = compute();
    return computed;
}

template <int... numbers>
void ask_all(std::integer_sequence<int, numbers...> /*all*/) {
    ((value<numbers>() == 0 ? preemption::fail("no value\n") : preemption::tick()), ...);
}

void program() {
    preemption::run_units(3, [](int) { ask_all(std::make_integer_sequence<int, 200>()); });
}

}  // namespace

int main() {
    return preemption::show(
        {"in the initialisation of a static variable", preemption::deferral::locks, program});
}
