// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/unit_scheduler.hpp"

#include <mutex>
#include <new>

#include "tasks/running.hpp"

namespace lazult::omp {
namespace {

using spare_schedulers = spare_list<unit_scheduler, &unit_scheduler::next_spare>;

spare_schedulers& spare() noexcept { return base::the_only<spare_schedulers>(); }

// The stack is as large as those of its units, because they start on it.
const core::unit_attributes& scheduler_attributes() noexcept {
    static const core::unit_attributes composed =
        core::unit_attributes(core::technique::lazy_stack, unit_stack_bytes()).of_host();
    return composed;
}

}  // namespace

void forget_spare_schedulers() noexcept { new (&spare()) spare_schedulers; }

// --- the pool

void unit_scheduler_pool::count(int change) noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(change),
                 std::memory_order_relaxed);
}

bool unit_scheduler_pool::ends_sleep() noexcept { return std::exchange(is_asleep_, false); }

void unit_scheduler_pool::wake_scheduler(worker* w) noexcept {
    core::make_ready(w, scheduler_.self_unit());
}

bool unit_scheduler_pool::begins_sleep() noexcept {
    const std::lock_guard hold(lock_);
    is_asleep_ = ready_.empty();
    return is_asleep_;
}

bool unit_scheduler_pool::remove(work_unit* u) noexcept {
    const std::lock_guard hold(lock_);
    const bool was_here = ready_.remove(u);
    count(was_here ? -1 : 0);
    return was_here;
}

bool unit_scheduler_pool::serves(const worker& w) const noexcept { return w.here == &scheduler_; }

template <class Put>
void unit_scheduler_pool::put(worker* w, Put put) noexcept {
    lock_.lock();
    put(ready_);
    count(1);
    const bool wakes = ends_sleep();
    lock_.unlock();
    if (wakes) {
        wake_scheduler(w);
    }
}

void unit_scheduler_pool::push_other(worker* w, work_unit* u) noexcept {
    put(w, [u](core::unit_fifo& ready) { ready.push_back(u); });
}

void unit_scheduler_pool::push_soon_other(worker* w, work_unit* u) noexcept {
    put(w, [u](core::unit_fifo& ready) { ready.push_front(u); });
}

work_unit* unit_scheduler_pool::pop_other(worker&) noexcept {
    if (!maybe_has_work()) {
        return nullptr;  // a unit that comes now finds the scheduler awake, or wakes it
    }
    const std::lock_guard hold(lock_);
    if (ready_.empty()) {
        return nullptr;
    }
    count(-1);
    return ready_.pop_front();
}

bool unit_scheduler_pool::take_other(worker&, work_unit* u) noexcept {
    const std::lock_guard hold(lock_);
    if (ready_.front() != u) {
        return false;
    }
    count(-1);
    ready_.drop_front(u);
    return true;
}

// --- the scheduler

unit_scheduler::unit_scheduler() noexcept : thread_scheduler(kind::unit), units_(*this) {
    set_fast_pool(&units_);
    set_budget(1);  // a unit that yields gives way to the other units of the stream, too
}

unit_scheduler& unit_scheduler::take() {
    unit_scheduler* const found = spare().take();
    return found != nullptr ? *found : *new unit_scheduler;
}

bool unit_scheduler::launch(worker& w, core::pool& among) noexcept {
    work_unit* u = core::prepare(w, among, run_as_unit, static_cast<core::host*>(this),
                                 scheduler_attributes());
    if (u == nullptr) {
        return false;
    }
    u->notes.fetch_or(core::stands_for_host, std::memory_order_relaxed);  // nobody else knows it
    u->join.reset_detached();
    core::launch_open(w, u);
    return true;
}

// Called by the thread that freed the scheduler's unit. Nothing refers to the scheduler any more.
void unit_scheduler::released() noexcept { spare().keep(this); }

// Looks the worker up, because the scheduler may have moved to another stream.
work_unit* unit_scheduler::next(worker&) noexcept {
    worker& w = core::this_worker();
    work_unit* u = units_.pop(w);
    return u != nullptr ? u : make_runner_for_served(w, *this, units_);
}

work_unit* unit_scheduler::poll(worker&) noexcept {
    if (units_.maybe_has_work()) {
        yield_to_parent();
    }
    return nullptr;
}

bool unit_scheduler::wait(worker&) noexcept {
    if (!has_residents()) {
        return false;
    }
    probe::release(this);  // pairs with: the acquire, on the next unit's stack
    suspend_to_parent(
        [](void* self) {
            probe::acquire(self);
            auto* h = static_cast<unit_scheduler*>(self);
            // from begins_sleep() on, another stream may run the scheduler
            work_unit* const u = h->self_unit();
            if (!h->units_.begins_sleep()) {
                core::make_ready(core::this_worker_or_null(), u);
            }
        },
        this);
    return true;
}

}  // namespace lazult::omp
