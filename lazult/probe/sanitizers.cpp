// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/probe/sanitizers.hpp"

#include <atomic>
#include <utility>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

#if LAZULT_TSAN
// core/ and sched/ are not instrumented, but their inline functions are, where higher folders call
// them. These functions access data of one OS thread from several of its fibers, which
// ThreadSanitizer would report. How units are ordered is announced to it by hand.
extern "C" __attribute__((visibility("default"), no_sanitize("thread"))) const char*
__tsan_default_suppressions() {
    // libstdc++ 12 compares thread ids outside its lock
    return "race_top:lazult/core/\nrace_top:lazult/sched/"
           "\nrace_top:lazult::core::\nrace_top:lazult::sched::\n"
           "race:_Stop_state_t::_M_remove_callback\n";
}
#endif

namespace lazult::probe {

#if LAZULT_TSAN
namespace {

// A stock of unused fibers. For ThreadSanitizer a new fiber is ordered after all that its creator
// has done. But in truth the creation of a stack orders nothing. So fibers wait here until what
// they are ordered after is long past.
class fiber_reserve {
public:
    fiber_reserve() noexcept {
        for (void*& each : waiting_) {
            each = __tsan_create_fiber(0);
        }
    }
    void* exchange_oldest() noexcept {
        void*& oldest = waiting_[oldest_++ % size];
        return std::exchange(oldest, __tsan_create_fiber(0));
    }

private:
    static constexpr std::size_t size = 64;
    void* waiting_[size];
    std::size_t oldest_ = 0;
};

fiber_reserve& reserve() { return base::the_only<fiber_reserve>(); }

// Runs before the program does anything.
[[gnu::constructor]] void fill_reserve() { reserve(); }

}  // namespace

void* fiber_create() noexcept {
    // A lock that ThreadSanitizer sees would order threads. It does not see this one, because this
    // file is not instrumented.
    static constinit std::atomic_flag busy;
    while (busy.test_and_set(std::memory_order_acquire)) {  // pairs with: clear() below
    }
    void* fiber = reserve().exchange_oldest();
    busy.clear(std::memory_order_release);  // pairs with: test_and_set() above
    return fiber;
}
#endif

// Valgrind's requests are instruction sequences that do nothing outside of it.
#ifdef VALGRIND_STACK_REGISTER

bool under_valgrind() noexcept { return RUNNING_ON_VALGRIND != 0; }

unsigned valgrind_register_stack(const void* low, const void* high) noexcept {
    return static_cast<unsigned>(VALGRIND_STACK_REGISTER(low, high));
}

void valgrind_deregister_stack(unsigned id) noexcept { VALGRIND_STACK_DEREGISTER(id); }

void valgrind_allow(const void* address, std::size_t size) noexcept {
    VALGRIND_MAKE_MEM_UNDEFINED(address, size);
}

#else

bool under_valgrind() noexcept { return false; }

unsigned valgrind_register_stack(const void*, const void*) noexcept { return 0; }

void valgrind_deregister_stack(unsigned) noexcept {}

void valgrind_allow(const void*, std::size_t) noexcept {}

#endif

}  // namespace lazult::probe
