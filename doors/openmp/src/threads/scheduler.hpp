// SPDX-License-Identifier: BSD-3-Clause
// The base of schedulers that run units of OpenMP threads. A stream_scheduler stays on one OS
// thread. A unit_scheduler is a ULT among those of another door, and moves from stream to stream as
// they do. All units of an OpenMP thread have one scheduler and run by turns, so the thread's data
// needs no lock.
#pragma once

#include "model/task_cache.hpp"
#include "model/team.hpp"
#include "model/unit_data.hpp"
#include "spare_list.hpp"

namespace lazult::omp {

// Its functions are called by its own units, or from its loop.
class thread_scheduler : public core::host {
public:
    enum class kind : std::uint8_t { stream, unit };

    kind what() const noexcept { return kind_; }
    bool is_one_thread() const noexcept override { return true; }
    // Returns whether the scheduler has something else to run if the calling unit yields.
    virtual bool has_other_work(const worker& w) const noexcept = 0;

    // Counts units that have started here or are about to, but not an OS thread's own unit.
    void add_resident() noexcept { ++residents_; }
    void drop_resident() noexcept { --residents_; }
    bool has_residents() const noexcept { return residents_ != 0; }

    // Called when a unit of a nested team's thread begins or ends here. While a thread has units
    // here, the scheduler starts the thread's tasks when all units wait.
    void add_unit(thread& t) noexcept;
    void drop_unit(thread& t) noexcept;

    // Returns the newest of the threads that have units here; thread::served_next leads to the
    // others. It comes first because outer teams wait for inner ones.
    thread* served() const noexcept { return served_; }

    // Returns the scheduler that runs the caller; nullptr: the caller is not the door's work unit.
    static thread_scheduler* current() noexcept {
        const worker* w = core::this_worker_or_null();
        work_unit* u = w == nullptr ? nullptr : w->current;
        return u != nullptr && is_ours(*u) ? static_cast<thread_scheduler*>(w->here) : nullptr;
    }

    task_cache cache;
    spare_stack<team, &team::spare> spare_teams;

protected:
    explicit thread_scheduler(kind what) noexcept : core::host(loop_kind::standard), kind_(what) {}

private:
    kind kind_;
    unsigned residents_ = 0;
    thread* served_ = nullptr;
};

// The technique and the stack size of units for nested implicit tasks and for tasks.
const core::unit_attributes& unit_attributes() noexcept;
std::size_t unit_stack_bytes() noexcept;

// From now on the thread's units run under scheduler `h`.
inline void bind_to_scheduler(thread& t, thread_scheduler& h) noexcept {
    t.scheduler = &h;
    t.cache = &h.cache;
}

// Called by a unit of the thread that is ending, but not by a level-1 thread's own unit. The
// scheduler no longer counts the unit afterwards.
void end_unit(thread& t) noexcept;

}  // namespace lazult::omp
