// SPDX-License-Identifier: BSD-3-Clause
// The scheduler of an OS thread that runs OpenMP threads. Its primary unit is the OS thread's own,
// which runs the implicit task of a level-1 team and never leaves the thread. While the primary
// unit waits, the scheduler runs, in this order: units that are ready again; implicit tasks of
// nested teams that were created here; tasks of the level-1 thread; tasks of nested threads that
// have units here; nested implicit tasks of other schedulers.
//
// A unit that has started here stays here. So the units of an OpenMP thread never run at the same
// time, and their native thread-local data stays the same.
#pragma once

#include <memory>

#include "threads/scheduler.hpp"

namespace lazult::omp {

class stream_scheduler final : public thread_scheduler {
public:
    // Called by the OS thread that the scheduler is for.
    explicit stream_scheduler(worker& w);
    ~stream_scheduler() override;

    // The code on the calling thread becomes the primary unit, until leave().
    void enter(worker& w) noexcept;
    void leave(worker& w) noexcept;
    // detach() is called before the thread ends, attach() when the object gets another thread.
    void detach(worker& w) noexcept;
    void attach(worker& w) noexcept;

    unit_data& primary_data() noexcept { return data_of(*primary_); }
    core::pool& pinned() noexcept { return pinned_; }
    core::pool& fresh() noexcept { return fresh_; }
    void serve(thread* level_1) noexcept;
    // Looks into the thread's port, too: a spinning unit would else keep the loop from doing so.
    bool has_other_work(const worker& w) const noexcept override;

    // Wakes schedulers, because so many nested implicit tasks were made available.
    static void announce_fresh(unsigned count) noexcept;

protected:
    work_unit* next(worker& w) noexcept override;
    work_unit* poll(worker& w) noexcept override;
    bool wait(worker& w) noexcept override;

private:
    work_unit* steal_fresh(worker& w) noexcept;
    work_unit* settle(work_unit* u) noexcept;
    work_unit* take_fresh_of(stream_scheduler& victim, worker& w) noexcept;
    bool found_work(worker& w) noexcept;
    void sleep(worker& w) noexcept;
    bool has_spun() const noexcept;
    bool spin(worker& w) noexcept;

    sched::private_fifo pinned_;
    sched::stealing_pool fresh_;
    work_unit* primary_ = nullptr;
    thread* serves_ = nullptr;
    // field  written by     read by           order
    // root_  the scheduler  other schedulers  relaxed: a hint: the root of the team that it serves
    atomic<const team*> root_{nullptr};
    unsigned slot_;
    unsigned choices_ = 0;
};

// Prepares the process for its first scheduler.
void enter_process_once() noexcept;
// Returns the calling OS thread's scheduler, which is made if there is none.
stream_scheduler& provide(std::unique_ptr<stream_scheduler>& mine);

}  // namespace lazult::omp
