// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/probe/sanitizers.hpp"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

#if LAZULT_TSAN
// Inline functions of floors 5 and 6 are instrumented where higher floors call them, and touch what belongs to one OS
// thread from several of its fibers. The edges between units are announced by hand.
extern "C" __attribute__((visibility("default"), no_sanitize("thread"))) const char*
__tsan_default_suppressions() {
    return "race_top:lazult/core/\nrace_top:lazult/sched/"
           "\nrace_top:lazult::core::\nrace_top:lazult::sched::\n"
           "race:_Stop_state_t::_M_remove_callback\n";  // libstdc++ 12 compares thread ids outside its lock
}
#endif

namespace lazult::probe {

// The requests are instruction sequences that do nothing outside valgrind: no library is linked.
#ifdef VALGRIND_STACK_REGISTER

bool under_valgrind() noexcept { return RUNNING_ON_VALGRIND != 0; }

unsigned valgrind_register_stack(const void* low, const void* high) noexcept {
    return static_cast<unsigned>(VALGRIND_STACK_REGISTER(low, high));
}

void valgrind_deregister_stack(unsigned id) noexcept { VALGRIND_STACK_DEREGISTER(id); }

#else

bool under_valgrind() noexcept { return false; }

unsigned valgrind_register_stack(const void*, const void*) noexcept { return 0; }

void valgrind_deregister_stack(unsigned) noexcept {}

#endif

}  // namespace lazult::probe
