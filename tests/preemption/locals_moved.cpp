// SPDX-License-Identifier: BSD-3-Clause
// The address of a thread_local counter, kept in a loop that suspends nowhere. A ULT that is
// preempted and goes on upon another OS thread counts in the old one's counter, beside that one.
#include <atomic>

#include "tests/preemption/example.hpp"

namespace {

constexpr int units = 4;
constexpr long turns = 10'000'000;

struct counter;
std::atomic<counter*> counters{nullptr};

struct counter {
    long value = 0;
    counter* next = nullptr;
    bool is_known = false;
};
// Without a destructor, so that it has no guard: it is read when the streams are still there.
thread_local counter mine;

void make_known(counter& each) {
    if (!each.is_known) {
        each.is_known = true;
        each.next = counters.load(std::memory_order_relaxed);
        // release: pairs with sum()
        while (!counters.compare_exchange_weak(each.next, &each, std::memory_order_release,
                                               std::memory_order_relaxed)) {
        }
    }
}

long sum() {
    long all = 0;
    // acquire: pairs with make_known()
    for (const counter* each = counters.load(std::memory_order_acquire); each != nullptr;
         each = each->next) {
        all += each->value;
    }
    return all;
}

std::atomic<int> ended{0};

// The address is in a register, as it is in methods of thread_local objects. Without the first asm,
// gcc would see that it comes from here, and find the variable anew each time.
[[gnu::noinline]] void count_in(counter* address) {
    asm volatile("" : "+r"(address));
    counter& here = *address;
    for (long i = 0; i < turns; ++i) {
        ++here.value;
        asm volatile("" : "+m"(here.value));  // one instruction, so a signal cannot divide it
        if (i % 10'000 == 0) {
            preemption::tick();
        }
    }
}

void count(int /*unit*/) {
    make_known(mine);
    count_in(&mine);
    // acquire and release: pairs with itself, so the last ULT sees what the others have counted
    if (ended.fetch_add(1, std::memory_order_acq_rel) == units - 1 && sum() != units * turns) {
        preemption::fail("the counters have lost turns\n");
    }
}

void program() { preemption::run_units(units, count, 2); }

}  // namespace

int main() {
    return preemption::show({"in a loop over a thread_local variable, with two streams",
                             preemption::deferral::locks, program});
}
