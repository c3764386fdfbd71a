// SPDX-License-Identifier: BSD-3-Clause
// Announcing a change of stacks to the sanitizers. Every transfer of control in this floor is
// framed by depart() and arrive(); both vanish where no sanitizer is on.
#pragma once

#include "lazult/core/memory/stack.hpp"
#include "lazult/core/worker/worker.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::core {

// Whether what one unit did before it gave way is ordered before what the next one does here: see
// host::is_one_thread().
bool switches_in_order() noexcept;

// Right before a switch to `to`. `fake` is where the stack that is left keeps its fake stack;
// nullptr when it will not run again.
LAZULT_INLINE_BY_FORCE void depart(stack* to, void** fake) noexcept {
    if constexpr (probe::asan) {
        probe::asan_start_switch(fake, to->low, to->usable());
    }
    if constexpr (probe::tsan) {
        probe::fiber_switch(to->fiber, switches_in_order());
        // by the stack that control goes to: it may be older than the OS thread
        know_this_thread();
    }
}

// First thing on the stack that control came to.
LAZULT_INLINE_BY_FORCE void arrive(void* fake) noexcept {
    if constexpr (probe::asan) {
        probe::asan_finish_switch(fake, nullptr, nullptr);
    }
}

// The same if the loop begins anew on a stack and gives up the frames there. `fake` is the fake
// stack of these frames, or null if they had none. It is freed.
LAZULT_INLINE_BY_FORCE void arrive_anew(stack* here, void* fake) noexcept {
    arrive(fake);
    if constexpr (probe::asan) {
        if (fake != nullptr) {
            depart(here, nullptr);
            arrive(nullptr);
        }
    }
}

}  // namespace lazult::core
