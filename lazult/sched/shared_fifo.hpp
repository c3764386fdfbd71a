// SPDX-License-Identifier: BSD-3-Clause
// Pools for any number of producers and consumers: first in, first out, and by priority.
#pragma once

#include <array>

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// A unit that yields goes through the queue each time, even if it is the only one, because other
// consumers that pop here must find it.
class shared_fifo : public ready_pool {
public:
    shared_fifo() {  // throws std::bad_alloc
        hears_of_yields_ = true;
        core::announce_built();
    }
    ~shared_fifo() override { core::await_pushers(*this); }

    bool maybe_has_work(const worker&) const noexcept override { return !queue_.empty_estimate(); }
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override { return queue_.size_estimate(); }
    bool serves(const worker&) const noexcept override { return false; }
    const char* kind() const noexcept override { return "shared_fifo"; }
    void for_each(visitor visit, void* argument) override;

    // If there are spare streams, streams list the pool in lending.hpp while they pop here.
    base::status attach(worker& w) noexcept override;
    void detach(worker& w) noexcept override;
    work_unit* lend(worker& spare) noexcept override;
    bool lends() const noexcept override { return true; }

protected:
    bool has_place(const worker&) const noexcept { return false; }  // staying_pool.hpp
    // Returns whether a spare stream may run the unit.
    static bool may_go(const work_unit& u) noexcept;
    bool remove_from_queue(work_unit* u) noexcept;  // for a caller that holds spare streams off
    void push_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override;

private:
    shared_queue queue_;
};

// Eight levels of units. Level 0 is the most urgent. Within a level: first in, first out.
class priority_pool : public ready_pool {
public:
    static constexpr std::size_t levels = 8;

    priority_pool() {  // throws std::bad_alloc
        hears_of_yields_ = true;
        core::announce_built();
    }
    ~priority_pool() override { core::await_pushers(*this); }

    bool maybe_has_work(const worker&) const noexcept override { return size() != 0; }
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override;
    bool serves(const worker&) const noexcept override { return false; }
    const char* kind() const noexcept override { return "priority"; }
    void for_each(visitor visit, void* argument) override;

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override;

private:
    shared_queue& level_of(const work_unit& u) noexcept;

    std::array<shared_queue, levels> queues_;
};

}  // namespace lazult::sched
