// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/stealing_pool.hpp"

#include <algorithm>
#include <utility>

#include "lazult/sched/stream_record.hpp"

namespace lazult::sched {
namespace {

// Units that an owner gives away, or a thief takes, in one go.
constexpr std::size_t most_at_once = 16;

}  // namespace

base::status stealing_pool::attach(worker& w) noexcept {
    worker* owner = nullptr;
    // acquire pairs with: detach(), store of deque_owner_: what the last owner did to the plain
    // fields
    // release pairs with: owner_of_only_unit(): the worker
    const bool mine = deque_owner_.compare_exchange_strong(owner, &w, std::memory_order_acq_rel,
                                                           std::memory_order_relaxed);
    if (!mine && owner != &w) {
        return base::status::busy;
    }
    ++attachments_;
    keeps_turns_ = ds::default_atomics::light_barrier_is_free();
    lane_.set_enough(base::current_settings().ready_tasks);
    offer_fast_way(w);
    return base::status::ok;
}

void stealing_pool::detach(worker& w) noexcept {
    if (!owned_by(&w) || --attachments_ != 0) {
        return;
    }
    if (w.lane == &lane_) {
        w.lane = nullptr;
    }
    while (!lane_.empty_estimate()) {
        if (work_unit* u = lane_.pop(); u != nullptr) {
            inbox_.push(u);
        } else {
            os::yield_thread();  // because a thief is taking a unit
        }
    }
    // pairs with: attach(), CAS of deque_owner_
    deque_owner_.store(nullptr, std::memory_order_release);
    if (maybe_has_work(w)) {
        idle_gate().notify_all();
    }
}

void stealing_pool::offer_fast_way(worker& w) noexcept {
    if (w.lane == nullptr && owned_by(&w) && ds::default_atomics::light_barrier_is_free()) {
        w.lane = &lane_;
    }
}

void stealing_pool::push_other(worker* w, work_unit* u) noexcept {
    if (!owned_by(w) || !lane_.push(u)) LAZULT_UNLIKELY {
        push_to_inbox(u);
    } else if (lane_.is_asked()) {
        give();
    }
}

// Called by the owner, when thieves have asked for units.
LAZULT_NOINLINE void stealing_pool::give() noexcept {
    const unsigned given = lane_.give(most_at_once, [this](work_unit& u) {
        const bool may_be_shared = provide_node(u);
        if (may_be_shared) LAZULT_LIKELY {
            inbox_.push(&u);
        }
        return may_be_shared;
    });
    idle_gate().notify_many(given);
    if (!ds::default_atomics::light_barrier_is_free()) LAZULT_UNLIKELY {
        core::this_worker().lane = nullptr;  // the barrier may have become costly since attach()
    }
}

// Called by a thief. The owner answers at its unit's next scheduling point. That comes within a
// fraction of the patience, unless the unit computes for long.
work_unit* stealing_pool::take_from_owner() noexcept {
    constexpr int patience = 64;  // in pauses: about what a steal without the owner costs
    return lane_.take_as_thief(patience,
                               [this] { return inbox_.empty_estimate() ? nullptr : inbox_.pop(); });
}

void stealing_pool::push_to_inbox(work_unit* u) noexcept {
    inbox_.push(u);
    announce();
    forward();
}

// Either the pusher sees the successor here, or the thread in retire() sees the unit.
void stealing_pool::forward() noexcept {
    ds::default_atomics::light_barrier();  // pairs with: retire(), heavy_barrier
    core::pool* successor =
        successor_.load(std::memory_order_acquire);  // pairs with: retire(), store of successor_
    if (successor == nullptr) LAZULT_LIKELY {
        return;
    }
    while (work_unit* u = inbox_.pop()) {
        u->join.open_biased();
        core::set_present_home(*u, *successor);
        successor->push(nullptr, u);
    }
}

void stealing_pool::retire(core::pool& successor) noexcept {
    // pairs with: forward(), load of successor_
    successor_.store(&successor, std::memory_order_release);
    // pairs with: forward(), light_barrier
    ds::default_atomics::heavy_barrier();
    forward();
}

// The ticket is the unit's index in the deque. Indices below the top are never used again, so it
// stands for this very push.
core::pool::ticket stealing_pool::push_parent_other(worker* w, work_unit* u) noexcept {
    if (!owned_by(w)) {
        push_other(w, u);
        return no_ticket;
    }
    const ticket place = lane_.units().bottom_index();
    push_other(w, u);
    return lane_.units().bottom_index() == place ? no_ticket : place;
}

bool stealing_pool::take_parent_other(worker& w, work_unit* u, ticket t) noexcept {
    return owned_by(&w) && lane_.units().bottom_index() == t + 1 && lane_.take(u);
}

void stealing_pool::push_yielded_other(worker* w, work_unit* u) noexcept {
    if (!owned_by(w) || !keeps_turns_ || !lane_.push_turn(u)) LAZULT_UNLIKELY {
        push_to_inbox(u);
    } else if (lane_.is_asked()) {
        give();
    }
}

void stealing_pool::push_quietly_other(worker* w, work_unit* u) noexcept {
    if (!is_in_group()) {  // streams of other schedulers take from such a pool, and do not nap
        push_yielded_other(w, u);
    } else if (!owned_by(w) || !keeps_turns_ || !lane_.push_turn_quietly(u)) LAZULT_UNLIKELY {
        push_to_inbox(u);
    } else if (lane_.is_asked()) {
        give();
    }
}

void stealing_pool::push_silently_other(worker*, work_unit* u) noexcept {
    inbox_.push(u);
    forward();
}

// In the inbox of its home, the unit would wait until its stream has nothing newer. So the waker's
// stream takes it over, as a thief would: there the unit is popped next, and can still be stolen.
void stealing_pool::push_beside_other(worker* w, work_unit* u) noexcept {
    const stream_record* const here = stream_record_of(w);
    stealing_pool* const own = here == nullptr ? nullptr : here->stealing();
    if (own == nullptr || own == this || !is_in_group() || !own->is_in_group() ||
        base::current_settings().scheduler != base::scheduler_kind::work_stealing) {
        push_other(w, u);
        return;
    }
    core::set_present_home(*u, *own);
    own->push(w, u);
}

void stealing_pool::collect(worker& w) noexcept { is_fair_turn_due_ = owned_by(&w); }

bool stealing_pool::is_fair_turn() noexcept {
    const bool counted = ++pops_ % fair_period == 0;
    return std::exchange(is_fair_turn_due_, false) || counted;
}

work_unit* stealing_pool::pop_oldest_of(unsigned which) noexcept {
    switch (which % 3) {
        case 0: return inbox_.empty_estimate() ? nullptr : inbox_.pop();
        case 1: return lane_.take_turn();
        default: return lane_.units().take_oldest();
    }
}

// Takes from the inbox, the units that gave way, and the deque's old end in turn. If one is empty,
// tries the next.
work_unit* stealing_pool::pop_oldest() noexcept {
    for (int i = 0; i < 3; ++i) {
        if (work_unit* u = pop_oldest_of(fair_turns_++); u != nullptr) {
            return u;
        }
    }
    return nullptr;
}

work_unit* stealing_pool::pop_other(worker& w) noexcept {
    if (!owned_by(&w)) {
        work_unit* given = inbox_.empty_estimate() ? nullptr : inbox_.pop();
        return given != nullptr ? given : take_from_owner();
    }
    if (is_fair_turn()) LAZULT_UNLIKELY {
        if (work_unit* u = pop_oldest(); u != nullptr) {
            return u;
        }
    }
    work_unit* found = lane_.pop();
    if (lane_.is_asked()) LAZULT_UNLIKELY {
        give();
    }
    return found != nullptr || inbox_.empty_estimate() ? found : inbox_.pop();
}

// Also answers thieves, because a joiner that takes one unit after another has no other occasion.
bool stealing_pool::take_other(worker& w, work_unit* u) noexcept {
    if (!owned_by(&w)) {
        return false;
    }
    const bool has_taken = lane_.take(u) || lane_.take_oldest(u);
    if (lane_.is_asked()) LAZULT_UNLIKELY {
        give();
    }
    return has_taken;
}

bool stealing_pool::remove(work_unit* u) noexcept {
    worker* w = core::this_worker_or_null();
    return owned_by(w) && lane_.take(u);
}

void stealing_pool::for_each(visitor visit, void* argument) {
    const auto show = [=](work_unit* u) { visit(u, argument); };
    lane_.for_each(owned_by(core::this_worker_or_null()), show);
    inbox_.for_each(show);
}

bool stealing_pool::maybe_has_work(const worker&) const noexcept {
    return !lane_.empty_estimate() || !inbox_.empty_estimate();
}

std::size_t stealing_pool::size() const noexcept {
    return lane_.size_estimate() + inbox_.size_estimate();
}

// Called by the thief that has taken the unit. From here on only the owner of the new pool may
// claim the unit, if it has not started: see core/unit/join_word.hpp.
void stealing_pool::rehome(work_unit& u, stealing_pool& into) noexcept {
    u.join.open();
    core::set_present_home(u, into);
}

work_unit* stealing_pool::steal(worker& thief, stealing_pool& into) noexcept {
    work_unit* first = pop_other(thief);
    if (first == nullptr) {
        return nullptr;
    }
    unsigned stolen = 1;
    if (into.is_in_group()) {  // else `into` is a user's pool, which may end before the unit
        rehome(*first, into);
        stolen += take_more(thief, into);
    }
    if (lane_.is_quiet()) {  // nobody was told of the others
        idle_gate().notify();
    }
    thief.count.steals.add(stolen);
    core::trace_theft(thief, stolen);
    return first;
}

// Moves up to half of the inbox, at most 16 units, into the thief's own pool. Returns their number.
unsigned stealing_pool::take_more(worker& thief, stealing_pool& into) noexcept {
    const std::size_t wanted = std::min(most_at_once, inbox_.size_estimate() / 2);
    unsigned taken = 0;
    for (work_unit* u = nullptr; taken < wanted && (u = inbox_.pop()) != nullptr; ++taken) {
        rehome(*u, into);
        into.push(&thief, u);
    }
    return taken;
}

}  // namespace lazult::sched
