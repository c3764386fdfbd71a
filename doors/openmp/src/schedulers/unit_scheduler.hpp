// SPDX-License-Identifier: BSD-3-Clause
// The scheduler of an OpenMP thread in a region that a ULT of another front end has entered. It is
// a stacked scheduler: its unit stands in one of that front end's pools, and runs on the stream
// that takes it from there. When all its units wait, the unit suspends, and the stream is free.
#pragma once

#include "threads/scheduler.hpp"

namespace lazult::omp {

class unit_scheduler;

// The ready units of a unit_scheduler. A thread that pushes one wakes the scheduler's unit if that
// sleeps.
//
// field   written by  read by    order
// all     under lock  the same   the lock's; count_ is also read as a hint
class unit_scheduler_pool final : public core::pool {
public:
    explicit unit_scheduler_pool(unit_scheduler& h) noexcept : scheduler_(h) {}

    bool maybe_has_work() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
    // Called when the scheduler's unit has suspended. Returns false if a unit is ready.
    bool begins_sleep() noexcept;

    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override { return count_.load(std::memory_order_relaxed); }
    bool serves(const worker& w) const noexcept override;

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    void push_soon_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override;

private:
    template <class Put>
    void put(worker* w, Put put) noexcept;
    void count(int change) noexcept;
    bool ends_sleep() noexcept;
    void wake_scheduler(worker* w) noexcept;

    unit_scheduler& scheduler_;
    spin_lock lock_;
    core::unit_fifo ready_;
    bool is_asleep_ = false;
    atomic<std::uint32_t> count_{0};
};

class unit_scheduler final : public thread_scheduler {
public:
    // Returns an unused scheduler or a new one. They are never destroyed, because records of tasks
    // may point into their memory.
    static unit_scheduler& take();
    // Makes the scheduler a unit of pool `among`. It runs until all its own units have ended, the
    // first of which are in units() already. Returns false if there is no memory.
    bool launch(worker& w, core::pool& among) noexcept;

    core::pool& units() noexcept { return units_; }
    unit_scheduler* next_spare = nullptr;
    bool has_other_work(const worker&) const noexcept override { return units_.maybe_has_work(); }

protected:
    work_unit* next(worker& w) noexcept override;
    bool wait(worker& w) noexcept override;
    work_unit* poll(worker& w) noexcept override;
    bool has_pool(const core::pool& p) const noexcept override { return &p == &units_; }
    void released() noexcept override;

private:
    unit_scheduler() noexcept;

    unit_scheduler_pool units_;
};

// For a forked child process: makes the spare list anew; another thread may have held its lock.
void forget_spare_schedulers() noexcept;

}  // namespace lazult::omp
