// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/shared_fifo.hpp"

#include <algorithm>

#include "lazult/sched/lending.hpp"
#include "lazult/sched/queue_search.hpp"

namespace lazult::sched {
namespace {

// Such a ULT was there before its stream, and stands on the stack of the OS thread.
bool is_primary(const work_unit& u) noexcept {
    return u.is_resumed() && u.stk->owner == nullptr &&
           !u.has(core::flag_user_stack | core::flag_promoted);
}

}  // namespace

base::status shared_fifo::attach(worker& w) noexcept {
    return !streams_may_lend() || lending().enter(*this, w) ? base::status::ok
                                                            : base::status::out_of_memory;
}

void shared_fifo::detach(worker& w) noexcept {
    if (streams_may_lend()) {
        lending().leave(*this, w);
    }
}

// A scheduler stays with its stream, and so does a primary ULT. What has begun stays, too, if the
// user wants that.
bool shared_fifo::may_go(const work_unit& u) noexcept {
    if (!u.has_left()) {
        return false;  // its stream still writes to it
    }
    const bool begun_stay = base::current_settings().started == base::started_kind::stay;
    const bool is_scheduler = u.has(core::flag_host);
    return !is_scheduler && !is_primary(u) && !(begun_stay && u.is_resumed());
}

// Pops each unit once, and pushes back those that stay.
work_unit* shared_fifo::lend(worker& spare) noexcept {
    for (std::size_t left = queue_.size_estimate(); left != 0; --left) {
        work_unit* const u = queue_.pop();
        if (u == nullptr || may_go(*u)) {
            return u;
        }
        const core::push_guard here(&spare, *this);
        queue_.push(u);
        announce();  // its stream may have looked in between
    }
    return nullptr;
}

void shared_fifo::push_other(worker*, work_unit* u) noexcept {
    queue_.push(u);
    announce();
}

work_unit* shared_fifo::pop_other(worker&) noexcept { return queue_.pop(); }

bool shared_fifo::take_other(worker& w, work_unit* u) noexcept {
    const core::push_guard here(&w, *this);
    return take_front(queue_, u, [this] { announce(); });
}

void shared_fifo::for_each(visitor visit, void* argument) {
    queue_.for_each([=](work_unit* u) { visit(u, argument); });
}

// A spare stream that looks through the queue has the unit in its hands meanwhile.
bool shared_fifo::remove(work_unit* u) noexcept {
    const auto held_off = lending().hold_off();
    return remove_from_queue(u);
}

bool shared_fifo::remove_from_queue(work_unit* u) noexcept {
    const core::push_guard here(nullptr, *this);
    return remove_by_rotation(queue_, u, [this] { announce(); });
}

shared_queue& priority_pool::level_of(const work_unit& u) noexcept {
    return queues_[std::min<std::size_t>(u.header.priority, levels - 1)];
}

void priority_pool::push_other(worker*, work_unit* u) noexcept {
    level_of(*u).push(u);
    announce();
}

work_unit* priority_pool::pop_other(worker&) noexcept {
    for (shared_queue& queue : queues_) {
        if (work_unit* u = queue.pop(); u != nullptr) {
            return u;
        }
    }
    return nullptr;
}

bool priority_pool::take_other(worker& w, work_unit* u) noexcept {
    const core::push_guard here(&w, *this);
    return take_front(level_of(*u), u, [this] { announce(); });
}

bool priority_pool::remove(work_unit* u) noexcept {
    const core::push_guard here(nullptr, *this);
    return remove_by_rotation(level_of(*u), u, [this] { announce(); });
}

void priority_pool::for_each(visitor visit, void* argument) {
    for (const shared_queue& queue : queues_) {
        queue.for_each([=](work_unit* u) { visit(u, argument); });
    }
}

std::size_t priority_pool::size() const noexcept {
    std::size_t total = 0;
    for (const shared_queue& queue : queues_) {
        total += queue.size_estimate();
    }
    return total;
}

}  // namespace lazult::sched
