// SPDX-License-Identifier: BSD-3-Clause
// The end of a unit.
#pragma once

#include <cxxabi.h>

#include "lazult/core/switch/local.hpp"
#include "lazult/core/switch/requests.hpp"
#include "lazult/core/worker/pool.hpp"

namespace lazult::core {

// A record that stands in the join word for a waiter that is not simply one ULT. The word holds the
// record's address with a tag.
struct alignas(16) completion {
    static constexpr join_word<>::value tag = join_word<>::record_tag;

    // Runs once, on the finisher's stream. May return a unit that this stream should run next.
    work_unit* (*notify)(completion* self, worker& w) noexcept;

    join_word<>::value as_waiter() noexcept {
        return reinterpret_cast<join_word<>::value>(this) | tag;
    }
};

work_unit* wake_joiner(worker& w, join_word<>::value waiter, work_unit* finished,
                       pool* home) noexcept;

// Called in the unit's own context before the unit ends. Destroys its ULT-local values, and puts
// the default control words in force if the unit has changed them.
inline void end_in_context(work_unit& u) noexcept {
    if (u.has(flag_locals)) LAZULT_UNLIKELY {
        destroy_locals(u);
    }
    if (has_own_words(running_worker())) LAZULT_UNLIKELY {
        arch::lazult_reset_control_words();
    }
}

// Called by a unit that an exit has unwound: the successor that the exit names runs next.
void note_exit(const exit_unwind& exit) noexcept;
// Called in the handler of the exception by which pthread_exit() unwinds. Forgets that exception,
// because the C library ends the process if it is still noted as caught when the handler ends.
void forget_forced_unwind() noexcept;

// Calls the unit's entry function. An exception that the function does not catch ends the process,
// as in std::thread. pthread_exit() ends the unit alone: it must not unwind into the start of the
// OS thread, which is the stream's.
LAZULT_ALWAYS_INLINE void run_entry(work_unit* u) noexcept {
    probe::acquire(u);
    try {
        u->entry(u->argument);
    } catch (const exit_unwind& exit) {
        note_exit(exit);
    } catch (const abi::__forced_unwind&) {
        forget_forced_unwind();
    }
    probe::release(u);  // announced on the unit's own fiber, which the end may leave
}

LAZULT_ALWAYS_INLINE void invoke(work_unit* u) noexcept {
    run_entry(u);
    end_in_context(*u);
}

// Marks a unit finished. Wakes its joiner, or returns the joiner for the caller to run next. The
// unit may be gone afterwards. Its stack must not be needed any more, unless the caller stands on
// it and gives it back later.
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

// dispose() for a unit that owns something, such as users' objects. Their destructors may suspend
// the caller, which may then go on on another stream.
void dispose_slowly(worker* w, work_unit* u) noexcept;

// A function of a door that keeps data for units beside their descriptors. If a unit has
// `owns_door` set, the functions that share a bit of user_bits with the unit are called right
// before its descriptor is freed, in the unit that frees it. `w` is the caller's worker or nullptr.
// If a detached unit is freed by its own end, the function runs in the stream's scheduler, or in no
// unit, and cannot suspend. A revived unit keeps the bit.
using unit_data_hook = void (*)(worker* w, work_unit* u) noexcept;
// Registers a hook for the process's life. Returns false if there are too many. Registering the
// same hook again does nothing.
bool register_unit_data(std::uint16_t user_bits, unit_data_hook hook) noexcept;
// Called by the thread that may free the unit, by the thread that runs it, or under a lock that
// keeps both from freeing it.
inline void set_owned_by_door(work_unit& u) noexcept {
    // read when the unit is finished and joined
    u.notes.fetch_or(owns_door, std::memory_order_relaxed);
}

// Frees what a finished unit owns, and its descriptor. The caller may be on another stream
// afterwards, so it must not use `w` again.
LAZULT_ALWAYS_INLINE void dispose(worker& w, work_unit* u) noexcept {
    // relaxed: the unit is finished and joined, which ordered everything
    const std::uint32_t owned = u->notes.load(std::memory_order_relaxed) & owns_something;
    if (owned != 0) LAZULT_UNLIKELY {
        if (owned != owns_stack || u->stk != nullptr) {
            dispose_slowly(&w, u);
            return;
        }
    }
    descriptor_cache::release(u, &w.descriptors);
}
// dispose() for a caller that may have no worker: then `w` is nullptr.
inline void dispose(worker* w, work_unit* u) noexcept {
    if (w != nullptr) LAZULT_LIKELY {
        dispose(*w, u);
        return;
    }
    dispose_slowly(nullptr, u);
}

}  // namespace lazult::core
