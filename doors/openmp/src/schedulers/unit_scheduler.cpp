// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/unit_scheduler.hpp"

#include <mutex>
#include <new>

#include "tasks/running.hpp"

namespace lazult::omp {
namespace {

using spare_hosts = spare_list<unit_host, &unit_host::next_spare>;

spare_hosts& spare() noexcept {
    static base::never_destroyed<spare_hosts> instance;
    return *instance;
}

// As large as its flows': these start on it.
const core::unit_attributes& host_attributes() noexcept {
    static const core::unit_attributes composed =
        core::unit_attributes(core::technique::lazy_stack, flow_stack_bytes()).of_host();
    return composed;
}

}  // namespace

void forget_spare_hosts() noexcept { new (&spare()) spare_hosts; }

// --- the pool

void unit_host_pool::count(int change) noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(change),
                 std::memory_order_relaxed);
}

bool unit_host_pool::ends_sleep() noexcept { return std::exchange(host_sleeps_, false); }

void unit_host_pool::wake_host(worker* w) noexcept { core::make_ready(w, host_.self_unit()); }

bool unit_host_pool::begins_sleep() noexcept {
    const std::lock_guard hold(lock_);
    host_sleeps_ = ready_.empty();
    return host_sleeps_;
}

bool unit_host_pool::remove(work_unit* u) noexcept {
    const std::lock_guard hold(lock_);
    const bool was_here = ready_.remove(u);
    count(was_here ? -1 : 0);
    return was_here;
}

bool unit_host_pool::serves(const worker& w) const noexcept { return w.here == &host_; }

template <class Put>
void unit_host_pool::put(worker* w, Put put) noexcept {
    lock_.lock();
    put(ready_);
    count(1);
    const bool wakes = ends_sleep();
    lock_.unlock();
    if (wakes) {
        wake_host(w);
    }
}

void unit_host_pool::push_other(worker* w, work_unit* u) noexcept {
    put(w, [u](core::unit_fifo& ready) { ready.push_back(u); });
}

void unit_host_pool::push_soon_other(worker* w, work_unit* u) noexcept {
    put(w, [u](core::unit_fifo& ready) { ready.push_front(u); });
}

work_unit* unit_host_pool::pop_other(worker&) noexcept {
    if (!maybe_has_work()) {
        return nullptr;  // what comes now finds the host awake, or wakes it
    }
    const std::lock_guard hold(lock_);
    if (ready_.empty()) {
        return nullptr;
    }
    count(-1);
    return ready_.pop_front();
}

bool unit_host_pool::take_other(worker&, work_unit* u) noexcept {
    const std::lock_guard hold(lock_);
    if (ready_.front() != u) {
        return false;
    }
    count(-1);
    ready_.drop_front(u);
    return true;
}

// --- the host

unit_host::unit_host() noexcept : flow_host(kind::unit), flows_(*this) {
    set_fast_pool(&flows_);
    set_budget(1);  // a flow that yields gives way to the other units of the stream, too
}

unit_host& unit_host::take() {
    unit_host* const found = spare().take();
    return found != nullptr ? *found : *new unit_host;
}

bool unit_host::launch(worker& w, core::pool& among) noexcept {
    work_unit* u =
        core::prepare(w, among, run_as_unit, static_cast<core::host*>(this), host_attributes());
    if (u == nullptr) {
        return false;
    }
    u->requests.fetch_or(core::stands_for_host, std::memory_order_relaxed);  // nobody else knows it
    u->join.reset_detached();
    core::launch_open(w, u);
    return true;
}

// By the thread that freed the host's unit: nothing refers to the host any more.
void unit_host::released() noexcept { spare().keep(this); }

// The stream may be another one than the loop's last.
work_unit* unit_host::next(worker&) noexcept {
    worker& w = core::this_worker();
    work_unit* u = flows_.pop(w);
    return u != nullptr ? u : make_runner_for_served(w, *this, flows_);
}

work_unit* unit_host::poll(worker&) noexcept {
    if (flows_.maybe_has_work()) {
        yield_to_parent();
    }
    return nullptr;
}

bool unit_host::wait(worker&) noexcept {
    if (!has_residents()) {
        return false;
    }
    probe::release(this);  // pairs with: the acquire, on the next flow's stack
    suspend_to_parent(
        [](void* self) {
            probe::acquire(self);
            auto* h = static_cast<unit_host*>(self);
            // from begins_sleep() on the host may be somewhere else
            work_unit* const u = h->self_unit();
            if (!h->flows_.begins_sleep()) {
                core::make_ready(core::this_worker_or_null(), u);
            }
        },
        this);
    return true;
}

}  // namespace lazult::omp
