// SPDX-License-Identifier: BSD-3-Clause
// Requests to a unit: to be cancelled, or to move to another pool. A unit looks at them before it
// starts and at its scheduling points. A cancelled unit is unwound by an exception.
#pragma once

#include <exception>

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Unwinds a unit that exits or is cancelled. User code that catches everything must rethrow it.
class exit_unwind final : public std::exception {
public:
    explicit exit_unwind(work_unit* successor = nullptr, bool ends_waits = false) noexcept
        : successor_(successor), ends_waits_(ends_waits) {}
    // out of line, so that the class has one type in the process
    const char* what() const noexcept override;
    // Returns the unit that runs next on the stream where this one ends, or nullptr.
    work_unit* successor() const noexcept { return successor_; }
    // Returns whether cancel_waits() asked for the exit.
    bool ends_waits() const noexcept { return ends_waits_; }

private:
    work_unit* successor_;
    bool ends_waits_;
};

// Data that few units need, allocated on first use.
struct unit_extras {
    // Written by the requester before it sets request_migrate. Read by the thread that runs the
    // unit, after it has seen that bit.
    ds::default_atomics::atomic<pool*> migration_target{nullptr};
    void (*migrated)(work_unit*, void*) = nullptr;
    void* migrated_argument = nullptr;
    // The pool that counts the unit while it waits for its child: see end_holding_home(). The child
    // writes it before its end, and the unit itself reads it afterwards.
    pool* held_home = nullptr;
    bool canceled = false;
    bool never_began = false;  // it was cancelled before it started
};

inline bool has_requests(const work_unit& u) noexcept {
    return (u.notes.load(std::memory_order_relaxed) & due_at_scheduling) != 0;
}

// has_requests() without is_traced: a trace is no demand.
inline bool has_demands(const work_unit& u) noexcept {
    return (u.notes.load(std::memory_order_relaxed) & demands) != 0;
}

// Returns the unit's extras, made on first use. Returns nullptr when memory is exhausted.
unit_extras* extras_of(work_unit& u) noexcept;

// Requests that a unit end at its next scheduling point, or before it starts. Idempotent. Not for
// schedulers' units.
base::status cancel(work_unit& u) noexcept;
bool was_canceled(const work_unit& u) noexcept;
// Returns whether the unit was cancelled before it started: it was never called.
bool was_canceled_at_once(const work_unit& u) noexcept;
// Makes both functions above return false. renew() calls it for a finished unit that runs again,
// put_off() for a running unit that stays cancelled but goes on for now.
void forget_cancellation(work_unit& u) noexcept;
// Whether a cancellation may unwind the running unit here. It may not while an exception is in
// flight: this code may be a destructor that the exception runs. It may not in a wait, or where
// cancellation is disabled. The request stays until the unit may be unwound.
inline bool may_unwind(const work_unit& self) noexcept {
    return self.wait.is_open() && running_worker().exceptions->uncaught == 0;
}
// Unwinds the running unit, which was cancelled.
[[noreturn]] void unwind_canceled(work_unit& self);
// Called by code that has caught the exit of a cancelled unit and goes on. Requests the exit again.
void put_off(work_unit& self, const exit_unwind& exit) noexcept;

// Requests that a unit continue in another pool, from its next scheduling point on.
base::status migrate(work_unit& u, pool& target) noexcept;
base::status on_migration(work_unit& u, void (*callback)(work_unit*, void*),
                          void* argument) noexcept;

// A joiner may call its child in its own place. Then it waits, but is in no pool, and no pool
// counts it. If the child moves to another pool, the joiner's pool would look empty, and its
// streams might end. So that pool counts the joiner from the child's move until the joiner is back:
// the joiner then calls end_holding_home().
LAZULT_COLD void let_go_of_home(unit_extras& joiner) noexcept;
inline void end_holding_home(const work_unit& joiner) noexcept {
    // acquire pairs with: extras_of(), exchange
    if (unit_extras* const extras = joiner.extras.load(std::memory_order_acquire);
        extras != nullptr) LAZULT_UNLIKELY {
        let_go_of_home(*extras);
    }
}

// What became of a unit that was about to start and had requests: it starts here, it has ended, or
// it has another home now. See may_start().
enum class start_verdict : std::uint8_t { starts, cancelled, moved };

// Clears a request that is being honoured.
inline void clear_request(work_unit& u, request bit) noexcept {
    u.notes.fetch_and(~static_cast<std::uint32_t>(bit), std::memory_order_relaxed);
}
void note_cancel(work_unit& u) noexcept;

// Ends the running unit by exit_unwind.
[[noreturn]] void exit_running();

}  // namespace lazult::core
