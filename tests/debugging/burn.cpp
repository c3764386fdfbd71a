// SPDX-License-Identifier: BSD-3-Clause
// For perf_sees.py: threads of every technique burn time three calls deep, before and after they
// suspend. Compiled with frame pointers.
#include <lazult/lazult.hpp>

#include <time.h>

#include <array>
#include <vector>

namespace {

volatile unsigned long burnt = 0;

long used_ns() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

// Of the processor, so that there are as many samples on a busy machine.
[[gnu::noinline]] void burn_time() {
    const long until = used_ns() + 30'000'000;
    while (used_ns() < until) {
        for (int i = 0; i < 20000; ++i) {
            burnt = burnt + 1;
        }
    }
}

template <lazult::technique how>
[[gnu::noinline]] void calls_burn() {
    burn_time();
    asm volatile("" ::: "memory");  // the call above stays one
}

template <lazult::technique how>
[[gnu::noinline]] void entry_of() {
    calls_burn<how>();
    if (how != lazult::technique::run_to_completion) {
        lazult::this_thread::yield();
        calls_burn<how>();
    }
    asm volatile("" ::: "memory");
}

template <lazult::technique... how>
void run_all() {
    std::array<lazult::thread, sizeof...(how)> all{
        lazult::thread(lazult::thread_attributes{.how = how}, [] { entry_of<how>(); })...};
    lazult::this_thread::yield();  // they start from the scheduler, and not in place
    for (lazult::thread& each : all) {
        each.join();
    }
}

}  // namespace

int main() {
    using enum lazult::technique;
    const lazult::runtime one(lazult::options{.streams = 1});
    run_all<full, lazy_stack, return_on_completion, stack_separation, scheduler_creation,
            run_to_completion>();
    return 0;
}
