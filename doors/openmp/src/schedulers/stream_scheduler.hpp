// SPDX-License-Identifier: BSD-3-Clause
// The scheduler of an OS thread that runs OpenMP threads. The thread's own unit is its primary
// unit, which never leaves it: the implicit task of a level-1 team. While that waits, the scheduler
// runs, in this order: units that are ready again; implicit tasks of nested teams that were created
// here; tasks of the level-1 thread; tasks of nested threads that have units here; nested implicit
// tasks of other schedulers.
//
// A unit that has started here stays here. So the units of an OpenMP thread never run at once, and
// native thread-local data stays theirs.
#pragma once

#include <memory>

#include "threads/scheduler.hpp"

namespace lazult::omp {

class stream_scheduler final : public thread_scheduler {
public:
    // By the OS thread that it is for.
    explicit stream_scheduler(worker& w);
    ~stream_scheduler() override;

    // The calling thread's unit becomes the primary unit, until leave().
    void enter(worker& w) noexcept;
    void leave(worker& w) noexcept;
    // Before the thread ends, or the object gets another thread.
    void detach(worker& w) noexcept;
    void attach(worker& w) noexcept;

    unit_data& primary_data() noexcept { return data_of(*primary_); }
    core::pool& pinned() noexcept { return pinned_; }
    core::pool& fresh() noexcept { return fresh_; }
    void serve(thread* level_1) noexcept;
    // Whether it would run something if the primary gave way. By its own thread.
    bool has_other_work(const worker& w) const noexcept override;

    // Nested implicit tasks were made available somewhere.
    static void announce_fresh(unsigned count) noexcept;

protected:
    work_unit* next(worker& w) noexcept override;
    bool wait(worker& w) noexcept override;

private:
    work_unit* steal_fresh(worker& w) noexcept;
    work_unit* settle(work_unit* u) noexcept;
    work_unit* take_fresh_of(stream_scheduler& victim, worker& w) noexcept;
    bool found_work(worker& w) noexcept;
    bool has_spun() const noexcept;
    bool spin(worker& w) noexcept;

    sched::private_fifo pinned_;
    sched::stealing_pool fresh_;
    work_unit* primary_ = nullptr;
    thread* serves_ = nullptr;
    // field  written by  read by       order
    // root_  the scheduler    other schedulers   relaxed: a hint: the root team of the nested
    // threads here
    atomic<const team*> root_{nullptr};
    unsigned slot_;
    unsigned choices_ = 0;
};

// What comes before the first scheduler.
void enter_process_once() noexcept;
// The calling OS thread's own; made where there is none.
stream_scheduler& provide(std::unique_ptr<stream_scheduler>& mine);

}  // namespace lazult::omp
