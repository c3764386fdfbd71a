// SPDX-License-Identifier: BSD-3-Clause
// The scheduler under which units of OpenMP threads run. It has one OS thread for good
// (stream_scheduler), or is itself a ULT among another door's, and goes where these go
// (unit_scheduler). Either way its units run by turns: what is an OpenMP thread's needs no lock,
// for all its units have one scheduler.
#pragma once

#include "model/task_cache.hpp"
#include "model/team.hpp"
#include "model/unit_data.hpp"
#include "spare_list.hpp"

namespace lazult::omp {

// All by its own units, or its loop.
class thread_scheduler : public core::host {
public:
    enum class kind : std::uint8_t { stream, unit };

    kind what() const noexcept { return kind_; }
    bool is_one_thread() const noexcept override { return true; }
    // Whether it would run something else if the unit gave way.
    virtual bool has_other_work(const worker& w) const noexcept = 0;

    // Units that have started here, or are about to; but an OS thread's own.
    void add_resident() noexcept { ++residents_; }
    void drop_resident() noexcept { --residents_; }
    bool has_residents() const noexcept { return residents_ != 0; }

    // A unit of a nested team's thread begins or ends here. While it has any, its tasks are started
    // when all of them wait.
    void add_unit(thread& t) noexcept;
    void drop_unit(thread& t) noexcept;

    // The first of the threads that have units here: the newest one, for outer teams wait for inner
    // ones. The others follow by thread::served_next.
    thread* served() const noexcept { return served_; }

    // The scheduler that runs the caller, if that is one of the door's units.
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

// The stack that units of nested implicit tasks and of tasks may count on, and how they start.
const core::unit_attributes& unit_attributes() noexcept;
std::size_t unit_stack_bytes() noexcept;

// The thread lives where this scheduler is from now on.
inline void bind_to_scheduler(thread& t, thread_scheduler& h) noexcept {
    t.scheduler = &h;
    t.cache = &h.cache;
}

// A unit of the thread, but a level-1 thread's own, is ending: its scheduler does without it from
// now on.
void end_unit(thread& t) noexcept;

}  // namespace lazult::omp
