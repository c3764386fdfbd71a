// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/work_stealing_scheduler.hpp"

#include <algorithm>
#include <new>

#include "lazult/sched/quiet_work.hpp"
#include "lazult/sched/steal_group.hpp"

namespace lazult::sched {

work_stealing_scheduler::work_stealing_scheduler(stealing_pool& own) : own_(&own) {
    thieves().add_sleeper(idle().slot(), own);
}

work_stealing_scheduler::~work_stealing_scheduler() { thieves().remove_sleeper(idle().slot()); }

// Copies the group's list. Without memory there are no victims until the next try, which comes
// soon, because an old version counts as work.
void work_stealing_scheduler::refresh_victims() noexcept {
    try {
        patience_.clear();
        const std::uint64_t version = thieves().others(*own_, victims_);
        patience_.assign(victims_.size(), {});
        watch_all(core::this_worker());
        victims_version_ = version;
    } catch (const std::bad_alloc&) {
        victims_version_ = 0;
    }
}

void work_stealing_scheduler::watch_all(const worker& w) {
    scheduler::watch_all(w);
    for (stealing_pool* p : victims_) {
        idle().watch(*p);
    }
}

work_unit* work_stealing_scheduler::next(worker& w) noexcept {
    if (work_unit* u = pop_in_order(w); u != nullptr) LAZULT_LIKELY {
        return u;
    }
    if (is_stopping()) LAZULT_UNLIKELY {
        return nullptr;  // because a stream that stops steals nothing
    }
    for (std::size_t i = 0; i < patience_.size(); ++i) {
        if (may_steal_from(i, w)) {
            patience_[i].start_anew();
            if (work_unit* u = victims_[i]->steal(w, *own_); u != nullptr) {
                return u;
            }
        }
    }
    return nullptr;
}

bool work_stealing_scheduler::may_steal_from(std::size_t victim, const worker& w) noexcept {
    const stealing_pool& pool = *victims_[victim];
    if (!pool.maybe_has_work(w)) LAZULT_LIKELY {
        patience_[victim].start_anew();
        return false;
    }
    return patience_[victim].has_ended(pool);
}

// A changed group counts as work: before a sleep the stream must know the new pools' gates.
bool work_stealing_scheduler::has_work(worker& w) noexcept {
    return scheduler::has_work(w) || victims_version_ != thieves().version() ||
           std::any_of(victims_.begin(), victims_.end(), [&](stealing_pool* p) {
               return p->maybe_has_work(w) && p->owner_of_quiet_units() == nullptr;
           });
}

bool work_stealing_scheduler::would_find_work(worker& w) noexcept {
    bool would_steal = false;
    for (std::size_t i = 0; i < patience_.size() && !would_steal; ++i) {
        would_steal = may_steal_from(i, w);
    }
    return would_steal || scheduler::has_work(w) || victims_version_ != thieves().version();
}

// A stream that is never idle also looks at pools without an owner, because no stream serves those.
work_unit* work_stealing_scheduler::poll(worker& w) noexcept {
    look_for_victims();
    orphans_turn_ = !orphans_turn_;
    if (orphans_turn_ && !is_stopping()) {
        if (work_unit* u = steal_from_orphans(w); u != nullptr) {
            return u;
        }
    }
    return scheduler::poll(w);
}

work_unit* work_stealing_scheduler::steal_from_orphans(worker& w) noexcept {
    for (stealing_pool* victim : victims_) {
        if (!victim->is_owned() && victim->maybe_has_work(w)) {
            if (work_unit* u = victim->steal(w, *own_); u != nullptr) {
                return u;
            }
        }
    }
    return nullptr;
}

void work_stealing_scheduler::pass_on(worker& w) noexcept {
    scheduler::pass_on(w);
    look_for_victims();  // pools may have joined the group while this stream slept
    if (std::none_of(victims_.begin(), victims_.end(),
                     [&](stealing_pool* p) { return p->maybe_has_work(w); })) {
        return;
    }
    // A sleeping stream may not watch the pool that has work, but it watches others of these.
    for (stealing_pool* p : victims_) {
        p->idle_gate().notify();
    }
}

// The stream may have been woken for work in a pool that it did not know, and may find other work
// first. So it notifies the gates of new pools that have work.
void work_stealing_scheduler::after_sleep(worker& w) noexcept {
    core::ask_for_calls(w, core::seeker::woke);  // before this stream finds work
    const std::uint64_t known = victims_version_;
    if (known == thieves().version()) LAZULT_LIKELY {
        return;
    }
    refresh_victims();
    for (stealing_pool* p : victims_) {
        if (p->is_newer_than(known) && p->maybe_has_work(w)) {
            p->idle_gate().notify();
        }
    }
}

void work_stealing_scheduler::look_for_victims() noexcept {
    if (victims_version_ != thieves().version()) {
        refresh_victims();
    }
}

void work_stealing_scheduler::before_wait(worker& w) noexcept {
    look_for_victims();
    for (stealing_pool* victim : victims_) {
        victim->ask_ahead();
    }
    if (!is_stopping()) {
        core::ask_for_calls(w, core::seeker::looks);  // the answers come while this stream spins
    }
}

std::int64_t work_stealing_scheduler::longest_sleep(worker& w) noexcept {
    if (is_stopping()) {
        return -1;
    }
    const std::int64_t beside_calls = core::ask_for_calls(w, core::seeker::sleeps);
    const bool sees_units =
        std::any_of(victims_.begin(), victims_.end(),
                    [](const stealing_pool* p) { return p->owner_of_quiet_units() != nullptr; });
    const std::int64_t beside_units =
        sees_units ? longest_sleep_ns : longest_sleep_beside_quiet_work();
    if (beside_calls < 0 || beside_units < 0) {
        return std::max(beside_calls, beside_units);
    }
    return std::min(beside_calls, beside_units);
}

}  // namespace lazult::sched
