// SPDX-License-Identifier: BSD-3-Clause
// Announces changes of stacks to the sanitizers. Each transfer of control in core/ stands between
// depart() and arrive(). Without a sanitizer both are empty.
#pragma once

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Returns whether ThreadSanitizer shall take the units of this host for one thread, so that each is
// ordered after the one before: see host::is_one_thread().
bool switches_in_order() noexcept;

// Called right before a switch to `to`. AddressSanitizer keeps the fake stack of the stack that is
// left in `*fake`. `fake` is nullptr if that stack will not run again.
LAZULT_INLINE_BY_FORCE void depart(stack* to, void** fake) noexcept {
    if constexpr (probe::asan) {
        probe::asan_start_switch(fake, to->low, to->usable());
    }
    if constexpr (probe::tsan) {
        probe::fiber_switch(to->fiber, switches_in_order());
        // for the stack that control goes to, which may be older than the OS thread
        know_this_thread();
    }
}

// Called first on the stack that control has come to.
LAZULT_INLINE_BY_FORCE void arrive(void* fake) noexcept {
    if constexpr (probe::asan) {
        probe::asan_finish_switch(fake, nullptr, nullptr);
    }
}

// arrive() for a loop that begins anew, and abandons its frames on this stack. `fake` is the fake
// stack of these frames, which is freed, or null if they had none.
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
