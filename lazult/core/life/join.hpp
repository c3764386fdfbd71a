// SPDX-License-Identifier: BSD-3-Clause
// Waiting for units to end. ULTs suspend, outside OS threads sleep on a futex; tasklets may not
// wait.
#pragma once

#include <cstddef>

#include "lazult/core/life/in_place.hpp"
#include "lazult/core/switch/interrupt.hpp"
#include "lazult/core/worker/home_guard.hpp"

namespace lazult::core {

// The slow way of join(), for the cases that join() does not handle inline.
base::status join_slow(work_unit* u, cancelable how = cancelable::no);
// The way of join() for the next unit of the stream's own queue, if has_headroom() is false. Runs
// the unit in place on a stack of its own if that is possible, else does what join_slow() does.
base::status join_next(worker& w, work_unit* joiner, work_unit* u, cancelable how = cancelable::no);

// Returns whether the unit is the newest one in the caller's work-stealing pool.
inline bool is_newest_here(const worker& w, const work_unit* u) noexcept {
    return w.lane != nullptr && w.lane->is_open_for(u->home) && w.lane->is_newest(u);
}
// Returns whether the unit is the oldest one in the caller's work-stealing pool. If units are
// joined in the order of their creation, the next one to be joined is the oldest.
inline bool is_oldest_here(const worker& w, const work_unit* u) noexcept {
    return w.lane != nullptr && w.lane->is_open_for(u->home) && w.lane->is_oldest(u);
}
// Runs the newest unit of the lane in place, after is_newest_here() has returned true. Returns
// false, and leaves the unit as it was, if the unit must not be called here, a thief has it, or a
// joiner is registered already.
template <afterwards what = afterwards::kept>
LAZULT_ALWAYS_INLINE bool run_newest_in_place(worker& w, work_unit* u) {
    work_unit* joiner = w.current;
    if (!may_call(w, joiner, *u)) LAZULT_UNLIKELY {
        return false;
    }
    if (!has_headroom(*joiner, *u)) LAZULT_UNLIKELY {
        return run_newest_apart<what>(w, u);
    }
    if (!w.lane->take_newest()) LAZULT_UNLIKELY {
        return false;
    }
    if (!claim(w, joiner, u)) LAZULT_UNLIKELY {
        give_back(w, u);
        return false;
    }
    call_here<what>(w, joiner, u);
    return true;
}
// run_newest_in_place() for the next unit in a pool that is private to the caller.
template <afterwards what = afterwards::kept>
LAZULT_ALWAYS_INLINE bool run_next_in_place(worker& w, pool& own, work_unit* u) {
    work_unit* joiner = w.current;
    if (!may_call(w, joiner, *u)) LAZULT_UNLIKELY {
        return false;
    }
    if (!has_headroom(*joiner, *u)) LAZULT_UNLIKELY {
        return run_next_apart<what>(w, own, u);
    }
    if (!claim(w, joiner, u)) LAZULT_UNLIKELY {
        return false;
    }
    own.drop_next_here(u);
    call_here<what>(w, joiner, u);
    return true;
}

// Waits until the unit has finished. If the unit has not started, and is next in line, the joiner
// runs it in place. Errors: freed_handle, would_deadlock (the caller joins itself), cannot_suspend
// (in a tasklet that may not block its thread), already_joined, and canceled (by cancel_waits();
// the unit is as it was). `w` is the caller's worker or nullptr.
LAZULT_ALWAYS_INLINE base::status join(worker* w, work_unit* u, cancelable how = cancelable::no) {
    // Only this thread's own pool is read: the pool of a unit that has ended may be gone.
    if (u == nullptr || w == nullptr || u->home != w->fast_pool || !w->fast_pool->is_next(u))
        LAZULT_UNLIKELY {
        if (u != nullptr && w != nullptr && is_newest_here(*w, u) && run_newest_in_place(*w, u)) {
            return base::status::ok;
        }
        if (u != nullptr && u->state() == life_state::finished && u->join.is_finished()) {
            probe::acquire(u);
            return base::status::ok;
        }
        if (u != nullptr && w != nullptr && is_oldest_here(*w, u) && run_oldest_in_place(*w, u)) {
            return base::status::ok;
        }
        return join_slow(u, how);
    }
    work_unit* joiner = w->current;
    if (joiner == nullptr || joiner->has(flag_tasklet) || !can_run_inline(*w, *u)) LAZULT_UNLIKELY {
        return join_slow(u, how);
    }
    if (!has_headroom(*joiner, *u)) LAZULT_UNLIKELY {
        return join_next(*w, joiner, u, how);
    }
    if (!claim(*w, joiner, u)) LAZULT_UNLIKELY {
        return join_slow(u, how);
    }
    u->home->drop_next_here(u);
    call_here(*w, joiner, u);
    return base::status::ok;
}

// A waiter or a detacher calls forbid_claims() before it writes the join word of a unit that other
// threads know. Afterwards no thread stores to that word by claim(). Does nothing unless the unit
// is biased towards another thread and has not started: see join_word.hpp.
void revoke_bias(work_unit& u) noexcept;
inline bool may_be_claimed_elsewhere(const worker* w, const work_unit& u) noexcept {
    return u.join.is_biased() && !is_biased_towards(w, u);
}
inline void forbid_claims(const worker* w, work_unit& u) noexcept {
    if (may_be_claimed_elsewhere(w, u)) {
        revoke_bias(u);
    }
}
void forbid_claims(const worker* w, work_unit* const* units, std::size_t count) noexcept;

// A unit of a private pool is confined while its join word is `local` (join_word.hpp): only the
// pool's owner runs the unit and writes that word. So a joiner on another thread cannot register in
// the word. It first sends an opener to the owner: a unit that changes the word to `live`. The
// joiner waits for the opener, until a deadline or for ever, and dismisses it. Then it joins the
// unit as usual.
//
// Returns true if the unit is confined to another thread than the caller's.
bool is_confined_elsewhere(const work_unit& u) noexcept;
// Sends an opener for the unit. Returns nullptr when memory is exhausted. If the unit is not
// confined any more, the opener is returned finished.
work_unit* send_opener(work_unit& u) noexcept;
// Frees the opener, which may be finished or not. Afterwards it does not touch the unit any more.
void dismiss_opener(work_unit* opener) noexcept;
// Returns true if the unit is a message to a pool's owner: an opener, or a unit that detaches
// another. The thread that empties the pool's inbox calls run_message(), which runs the message at
// once. That thread is the owner, or owns a pool without an owner for this moment.
bool is_message(const work_unit& u) noexcept;
void run_message(worker& w, work_unit* message) noexcept;
// Opens the word of a unit that is not confined to another thread.
void open_here(work_unit& u) noexcept;

LAZULT_ALWAYS_INLINE base::status join(work_unit* u, cancelable how = cancelable::no) {
    return join(this_worker_or_null(), u, how);
}

// Waits for all units. A ULT switches at most N + 1 times. Returns the error of the first unit that
// has one, as join() does.
base::status join_many(work_unit* const* units, std::size_t count, cancelable how = cancelable::no);

// Returns the unit that waits in a join by this record, or nullptr. For reports.
const work_unit* joiner_of(const completion& waiting) noexcept;

// Says that nobody will join the unit: it is freed at its end, or now if it has ended.
base::status detach(work_unit* u) noexcept;

}  // namespace lazult::core
