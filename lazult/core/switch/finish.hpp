// SPDX-License-Identifier: BSD-3-Clause
// The end of a unit.
#pragma once

#include <cxxabi.h>

#include "lazult/core/switch/local.hpp"
#include "lazult/core/switch/requests.hpp"
#include "lazult/core/worker/pool.hpp"
#include "lazult/core/worker/worker.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::core {

// A waiter for a unit's end that is not simply one ULT. Its address, tagged, stands in the join
// word.
struct alignas(16) completion {
    static constexpr join_word<>::value tag = join_word<>::record_tag;

    // Runs on the finisher's stream, once. May return a unit that the finisher's stream should run
    // next.
    work_unit* (*notify)(completion* self, worker& w) noexcept;

    join_word<>::value as_waiter() noexcept {
        return reinterpret_cast<join_word<>::value>(this) | tag;
    }
};

work_unit* wake_joiner(worker& w, join_word<>::value waiter, work_unit* finished,
                       pool* home) noexcept;

// What must happen in the unit's own context before it ends.
inline void end_in_context(work_unit& u) noexcept {
    if (u.has(flag_locals)) LAZULT_UNLIKELY {
        destroy_locals(u);
    }
    if (has_own_words(running_worker())) LAZULT_UNLIKELY {
        arch::lazult_reset_control_words();
    }
}

// Called by a unit that has unwound its stack.
void note_exit(const exit_unwind& exit) noexcept;
// The same, in a handler of the exception by which pthread_exit() unwinds. When such a handler
// returns, the C library ends the process, unless nothing is left for it to end.
void forget_forced_unwind() noexcept;

// The unit's entry function. An exception that nobody catches ends the process, as it does in
// std::thread. pthread_exit() ends the unit: what it would go on to is the start of the OS thread,
// which is the stream's.
LAZULT_ALWAYS_INLINE void run_entry(work_unit* u) noexcept {
    probe::acquire(u);
    try {
        u->entry(u->argument);
    } catch (const exit_unwind& exit) {
        note_exit(exit);
    } catch (const abi::__forced_unwind&) {
        forget_forced_unwind();
    }
    probe::release(u);  // on the unit's own fiber, which the end may leave
}

LAZULT_ALWAYS_INLINE void invoke(work_unit* u) noexcept {
    run_entry(u);
    end_in_context(*u);
}

// Marks a unit finished and wakes its joiner, or returns it for the caller to run next. The unit
// may be gone afterwards. Its stack must not be needed any more, unless the caller stands on it and
// gives it back later.
inline work_unit* complete(worker& w, work_unit* u) noexcept {
    pool* home = u->home;
    u->set_state(life_state::finished);
    probe::release(u);
    if (u->join.is_local() && home->is_private_to(&w)) LAZULT_LIKELY {
        u->join.finish_in_place();
        return nullptr;
    }
    const auto before = u->join.finish();
    if (join_word<>::is_unwaited(before)) LAZULT_LIKELY {
        return nullptr;
    }
    return wake_joiner(w, before, u, home);
}

// Does the work of dispose() for a unit that owns something, such as users' objects. Their
// destructors may suspend the caller, and the caller may go on on another stream.
void dispose_slowly(worker* w, work_unit* u) noexcept;

// What a front end (a door) keeps for units beside their descriptors. If a unit has `owns_door`
// set, the hooks are called right before its descriptor is freed: those of all doors that share a
// bit of user_bits with it. The argument `w` is the caller's worker or nullptr. The hook runs in
// the unit that frees the descriptor. If a detached unit is freed by its own end, the hook runs in
// the stream's scheduler, or in no unit, and cannot suspend. A revived unit keeps the bit.
using unit_data_hook = void (*)(worker* w, work_unit* u) noexcept;
// Registers a hook for the process's life. Returns false if there are too many. Registering the
// same hook again does nothing.
bool register_unit_data(std::uint16_t user_bits, unit_data_hook hook) noexcept;
// Called by the thread that may dispose of the unit, or by the unit's runner, or under something
// that keeps both of them from disposing of it.
inline void set_owned_by_door(work_unit& u) noexcept {
    // read when the unit is finished and joined
    u.requests.fetch_or(owns_door, std::memory_order_relaxed);
}

// Frees what a finished unit owns, and its descriptor. The caller may be on another stream
// afterwards, so it must not use `w` again.
LAZULT_ALWAYS_INLINE void dispose(worker& w, work_unit* u) noexcept {
    // relaxed: the unit is finished and joined, which ordered everything
    const std::uint32_t owned = u->requests.load(std::memory_order_relaxed) & owns_something;
    if (owned != 0) LAZULT_UNLIKELY {
        if (owned != owns_stack || u->stk != nullptr) {
            dispose_slowly(&w, u);
            return;
        }
    }
    descriptor_cache::release(u, &w.descriptors);
}
// The same, but `w` may be nullptr.
inline void dispose(worker* w, work_unit* u) noexcept {
    if (w != nullptr) LAZULT_LIKELY {
        dispose(*w, u);
        return;
    }
    dispose_slowly(nullptr, u);
}

}  // namespace lazult::core
