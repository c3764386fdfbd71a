// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/life/join.hpp"

#include <algorithm>
#include <new>

#include "lazult/core/life/create.hpp"
#include "lazult/core/switch/suspend_published.hpp"
#include "lazult/core/unit/recall_word.hpp"

namespace lazult::core {
namespace {

using word = join_word<>;

base::status refusal_of(word::value found) noexcept {
    return found == word::finished ? base::status::ok : base::status::already_joined;
}

// --- units that are confined to another OS thread

// Returns whether a unit that was local a moment ago is confined to another thread.
LAZULT_NOINLINE bool is_confined_to_others(worker* w, const work_unit& u) noexcept {
    const home_guard at(w, u);
    return at.keeps_confined(u) && !at.home().is_private_to(this_worker_or_null());
}

// Returns whether the unit is confined to another thread. This thread's own pool needs no guard.
LAZULT_ALWAYS_INLINE bool is_foreign(worker& w, const work_unit& u) noexcept {
    return u.join.is_local() && present_home(u) != w.fast_pool && is_confined_to_others(&w, u);
}

// Sends the message to the pool where the unit is confined; the unit's home becomes the message's
// home. Returns false, without side effects, if the unit is not local any more.
bool send_message(worker& w, const work_unit& u, work_unit* message) noexcept {
    const home_guard at(&w, u);
    if (!at.keeps_confined(u)) {
        return false;
    }
    message->home = &at.home();
    launch_open(w, message);
    return true;
}

// What an opener has to do, kept in its descriptor. `unit` may be gone if the opener was recalled.
struct join_request {
    work_unit* unit;
    recall_word<> word{};

    static join_request& of(work_unit& opener) noexcept {
        static_assert(sizeof(join_request) <= sizeof(opener.storage));
        return *reinterpret_cast<join_request*>(opener.storage);
    }

    static void run(void* opener) {
        join_request& me = of(*static_cast<work_unit*>(opener));
        if (me.word.begin()) {
            me.unit->join.open();
            me.word.end();
        }
    }

    // Ends an opener that was not sent, because the unit is open already.
    static void settle(work_unit& opener) noexcept {
        of(opener).word.end();
        opener.set_state(life_state::finished);
        opener.join.finish_in_place();
    }
};

// Returns whether a caller that may not suspend may wait by blocking its thread.
bool may_block(const worker& w) noexcept {
    return host::runs_own_code(w) ||
           (w.current->header.user_bits & unit_header::blocks_thread) != 0;
}

base::status open_from_elsewhere(work_unit& u) {
    const worker* const w = try_this_worker();
    if (w == nullptr) {
        return base::status::out_of_memory;
    }
    if (w->current != nullptr && !w->current->may_suspend() && !may_block(*w)) {
        return base::status::cannot_suspend;
    }
    // The wait for the opener may end by an exception, if the caller is cancelled.
    struct sent {
        work_unit* opener;
        ~sent() {
            if (opener != nullptr) {
                dismiss_opener(opener);
            }
        }
    } const it{send_opener(u)};
    return it.opener == nullptr ? base::status::out_of_memory : join(it.opener);
}

// Runs where the unit can end; or on any thread if the unit's pool has no owner any more.
void detach_word(void* unit) {
    auto* u = static_cast<work_unit*>(unit);
    u->join.open();
    detach(u);
}

// Sends a message that detaches the unit where it is confined. Then only the message has the
// handle.
base::status detach_from_elsewhere(work_unit& u) noexcept {
    worker* const w = try_this_worker();
    const auto attributes = unit_attributes(technique::run_to_completion).unobserved();
    work_unit* messenger =
        w == nullptr ? nullptr : prepare(*w, *present_home(u), detach_word, &u, attributes);
    if (messenger == nullptr) {
        return base::status::out_of_memory;
    }
    messenger->join.reset_detached();
    if (!send_message(*w, u, messenger)) {
        dispose(*w, messenger);
        return detach(&u);
    }
    return base::status::ok;
}

// --- one ULT waits for one unit

// Registers `waiter`. Returns whether the end of `awaited` will notify it.
LAZULT_ALWAYS_INLINE bool enter(work_unit& awaited, word::value waiter) noexcept {
    if (awaited.join.is_local()) LAZULT_LIKELY {
        awaited.join.expect(waiter);
        return true;
    }
    word::value found;
    return awaited.join.try_wait(waiter, &found);
}

struct registration {
    work_unit* joiner;
    work_unit* awaited;

    LAZULT_ALWAYS_INLINE void operator()() const noexcept {
        if (!enter(*awaited, reinterpret_cast<word::value>(joiner))) LAZULT_UNLIKELY {
            make_ready(this_worker_or_null(), joiner);
        }
    }
};

// A unit that suspends in one join after another, with nothing in between, is no longer resumed at
// once by the end of each child: it goes to the back of its pool, and finds the other children
// finished when its turn comes. So N joins cost a few switches and not N. A unit's other
// suspensions clear the flag.
//
// This join cannot be cancelled, so the joiner masks its wait word. An awaited unit that finds the
// joiner masked does not take cancellations of the joiner upon itself (interrupt.cpp).
base::status wait_unguarded(work_unit* self, work_unit* u) {
    const auto before = self->wait.mask();
    suspend_published<suspension_reason::joins>(registration{self, u},
                                                [u]() noexcept { trace_join(joined::all, &u, 1); });
    self->wait.unmask(before);
    self->set(flag_joins_many);
    end_holding_home(*self);
    if (has_demands(*self)) LAZULT_UNLIKELY {
        honour_requests(*self);  // a cancellation that the mask has put off
    }
    return u->join.is_finished() ? base::status::ok : base::status::already_joined;
}

// The record of a join that can be cancelled. It stands in the join word, so that the joiner can
// take it back.
struct guarded_joiner : completion {
    work_unit* joiner;
    bool is_listed = false;

    explicit guarded_joiner(work_unit* self) noexcept : joiner(self) { notify = ended; }

    static work_unit* ended(completion* self, worker&) noexcept {
        probe::acquire(self);  // pairs with: list()
        return static_cast<guarded_joiner*>(self)->joiner;
    }

    void list(work_unit& awaited) noexcept {
        work_unit* const unit = joiner;
        const bool must_settle = enter(awaited, as_waiter());
        is_listed = must_settle;
        probe::release(this);
        if (must_settle) LAZULT_LIKELY {
            settle_listing(unit);
        } else {
            make_ready(this_worker_or_null(), unit);
        }
    }
};

base::status wait_as_unit(work_unit* u, cancelable how) {
    work_unit* self = this_worker().current;
    const guarded_wait guard(self, how);
    if (!guard) {
        return wait_unguarded(self, u);
    }
    if (guard.is_asked()) {
        return base::status::canceled;
    }
    guarded_joiner me(self);
    probe::release(&me);
    const auto publish = [&me, u]() noexcept {
        probe::acquire(&me);
        me.list(*u);
    };
    suspend_published<suspension_reason::joins>(publish,
                                                [u]() noexcept { trace_join(joined::all, &u, 1); });
    self->set(flag_joins_many);
    if (guard.was_interrupted() && me.is_listed) {
        if (u->join.withdraw(me.as_waiter())) {
            return base::status::canceled;
        }
        guard.await_waker();
    }
    return u->join.is_finished() ? base::status::ok : base::status::already_joined;
}

// --- an outside OS thread waits

struct sleeping_thread : completion {
    ds::default_atomics::atomic<std::uint32_t> done{0};

    sleeping_thread() noexcept { notify = wake; }

    static work_unit* wake(completion* self, worker&) noexcept {
        auto& done = static_cast<sleeping_thread*>(self)->done;
        // pairs with: sleep(), load of done. The sleeper may be gone right after: the futex uses
        // the address only.
        done.store(1, std::memory_order_release);
        ds::default_atomics::futex_wake(done, 1);
        return nullptr;
    }

    void sleep() noexcept {
        // pairs with: wake(), store of done
        while (done.load(std::memory_order_acquire) == 0) {
            ds::default_atomics::futex_wait(done, 0, -1);
        }
    }
};

base::status wait_as_thread(work_unit* u) {
    if (is_confined_elsewhere(*u)) {
        if (const base::status bad = open_from_elsewhere(*u); bad != base::status::ok) {
            return bad;
        }
    }
    forbid_claims(this_worker_or_null(), *u);
    sleeping_thread me;
    word::value found;
    if (!u->join.try_wait(me.as_waiter(), &found)) {
        return refusal_of(found);
    }
    me.sleep();
    return base::status::ok;
}

// --- a scheduler's own code waits, or a unit that may block its thread
base::status wait_in_own_code(worker& w, work_unit* u) {
    if (!host::runs_own_code(w) || !w.here->is_stacked()) {
        return wait_as_thread(u);
    }
    if (is_confined_elsewhere(*u)) {
        if (const base::status bad = open_from_elsewhere(*u); bad != base::status::ok) {
            return bad;
        }
    }
    worker& now = this_worker();
    forbid_claims(&now, *u);
    // The host lets go of its pools before the wait begins. Another stream may take the pools over,
    // and with them units that were confined to this one.
    u->join.open();
    registration r{now.current, u};
    const auto registers = [](void* mine) {
        const registration copy = *static_cast<registration*>(mine);
        copy();
    };
    now.here->suspend_to_parent(registers, &r);
    end_holding_home(*r.joiner);
    return u->join.is_finished() ? base::status::ok : base::status::already_joined;
}

// --- one ULT waits for many

struct countdown : completion {
    ds::default_atomics::atomic<std::size_t> remaining;
    work_unit* joiner;
    work_unit* const* units;
    std::size_t count;
    base::status outcome = base::status::ok;
    bool is_listed = false;

    countdown(work_unit* self, work_unit* const* all, std::size_t n) noexcept
        : remaining(n + 1), joiner(self), units(all), count(n) {
        notify = one_less;
    }

    // Returns true for the last count: then the joiner is resumed, and this record may be gone.
    bool decrement() noexcept {
        // acq_rel pairs with itself: what every finished unit did is visible to the joiner
        return remaining.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

    static work_unit* one_less(completion* self, worker&) noexcept {
        auto* all = static_cast<countdown*>(self);
        work_unit* joiner = all->joiner;
        return all->decrement() ? joiner : nullptr;
    }

    void register_all() noexcept {
        work_unit* const unit = joiner;
        const bool is_guarded = unit->wait.is_guarded();
        for (std::size_t i = 0; i < count; ++i) {
            register_one(units[i]);
        }
        if (is_guarded) {
            is_listed = true;  // the unit cannot go on before its wait is committed
        }
        if (decrement() && unit->wait.resume()) {
            make_ready(this_worker_or_null(), unit);
        }
        if (is_guarded) {
            settle_listing(unit);
        }
    }

    // Called after an interruption. Takes the record back from all units that have not ended, and
    // waits until the other units are done with it. Returns false if all have ended.
    bool take_back() noexcept {
        std::size_t taken = 0;
        for (std::size_t i = 0; i < count; ++i) {
            taken += units[i]->join.withdraw(as_waiter()) ? 1U : 0U;
        }
        if (taken == 0) {
            return false;
        }
        // pairs with: decrement()
        while (remaining.load(std::memory_order_acquire) != taken) {
            os::yield_thread();
        }
        return true;
    }

    // Does not bring the count to 0, because register_all() holds one.
    void register_one(work_unit* u) noexcept {
        if (u->join.is_local()) {  // confined here: join_many() has opened the others
            u->join.expect(as_waiter());
            return;
        }
        word::value found;
        if (!u->join.try_wait(as_waiter(), &found)) {
            if (found != word::finished) {
                outcome = base::status::already_joined;
            }
            decrement();
        }
    }
};

base::status check(const work_unit* u) noexcept {
    if (u == nullptr) {
        return base::status::invalid_handle;
    }
    if (u->state() == life_state::unused) {
        return base::status::freed_handle;
    }
    return u == current_unit() ? base::status::would_deadlock : base::status::ok;
}

base::status join_unfinished(work_unit* u, cancelable how) {
    worker* w = this_worker_or_null();
    if (w == nullptr || w->current == nullptr) {
        return wait_as_thread(u);
    }
    if (!w->current->may_suspend()) {
        return may_block(*w) ? wait_in_own_code(*w, u) : base::status::cannot_suspend;
    }
    if (is_foreign(*w, *u)) LAZULT_UNLIKELY {
        if (const base::status bad = open_from_elsewhere(*u); bad != base::status::ok) {
            return bad;
        }
    } else if (u->context == nullptr && start_in_place(*w, u)) {
        return base::status::ok;
    }
    forbid_claims(this_worker_or_null(), *u);
    return wait_as_unit(u, how);
}

}  // namespace

LAZULT_NOINLINE void revoke_bias(work_unit& u) noexcept { revoke_claims(u); }

void forbid_claims(const worker* w, work_unit* const* units, std::size_t count) noexcept {
    revoke_claims(units, count, [w](const work_unit& u) { return may_be_claimed_elsewhere(w, u); });
}

bool is_confined_elsewhere(const work_unit& u) noexcept {
    worker* const w = this_worker_or_null();
    return w != nullptr ? is_foreign(*w, u)
                        : u.join.is_local() && is_confined_to_others(nullptr, u);
}

work_unit* send_opener(work_unit& u) noexcept {
    worker* const w = try_this_worker();
    const auto attributes = unit_attributes(technique::run_to_completion).unobserved();
    work_unit* opener = w == nullptr
                            ? nullptr
                            : prepare(*w, *present_home(u), join_request::run, nullptr, attributes);
    if (opener != nullptr) {
        new (opener->storage) join_request{&u};
        opener->argument = opener;
        if (!send_message(*w, u, opener)) {
            join_request::settle(*opener);
        }
    }
    return opener;
}

void dismiss_opener(work_unit* opener) noexcept {
    join_request::of(*opener).word.recall();
    detach(opener);
}

bool is_message(const work_unit& u) noexcept {
    return u.entry == join_request::run || u.entry == detach_word;
}

void run_message(worker& w, work_unit* message) noexcept {
    message->entry(message->argument);
    if (work_unit* sender = complete(w, message); sender != nullptr) {
        make_ready(&w, sender);
    }
}

void open_here(work_unit& u) noexcept {
    if (u.join.is_local()) {
        u.join.open();
    }
}

LAZULT_NOINLINE base::status join_slow(work_unit* u, cancelable how) {
    if (const base::status bad = check(u); bad != base::status::ok) LAZULT_UNLIKELY {
        return bad;
    }
    const base::status outcome = u->join.is_finished() ? base::status::ok : join_unfinished(u, how);
    probe::acquire(u);
    return outcome;
}

base::status join_next(worker& w, work_unit* joiner, work_unit* u, cancelable how) {
    if (runs_on_caller(u->header.plan)) LAZULT_LIKELY {
        return run_next_apart<afterwards::kept>(w, *u->home, u) ? base::status::ok
                                                                : join_slow(u, how);
    }
    if (u->context != nullptr || !claim(w, joiner, u)) {
        return join_slow(u, how);
    }
    u->home->drop_next_here(u);
    return start_taken(w, joiner, u) ? base::status::ok : join_slow(u, how);
}

namespace {

// Opens the words of all units if one of them is confined elsewhere. The wait for its opener may
// end on another stream, where the other units would be foreign.
base::status open_foreign(work_unit* const* units, std::size_t count) {
    worker& w = running_worker();
    const auto is_other = [&w](const work_unit* u) { return is_foreign(w, *u); };
    if (std::none_of(units, units + count, is_other)) LAZULT_LIKELY {
        return base::status::ok;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_confined_elsewhere(*units[i])) {
            open_here(*units[i]);
        } else if (const base::status bad = open_from_elsewhere(*units[i]);
                   bad != base::status::ok) {
            return bad;
        }
    }
    return base::status::ok;
}

}  // namespace

base::status join_many(work_unit* const* units, std::size_t count, cancelable how) {
    for (std::size_t i = 0; i < count; ++i) {
        if (const base::status bad = check(units[i]); bad != base::status::ok) {
            return bad;
        }
    }
    if (!can_suspend()) {
        for (std::size_t i = 0; i < count; ++i) {
            if (const base::status bad = join(units[i]); bad != base::status::ok) {
                return bad;
            }
        }
        return base::status::ok;
    }
    if (const base::status bad = open_foreign(units, count); bad != base::status::ok) {
        return bad;
    }
    forbid_claims(this_worker_or_null(), units, count);
    const guarded_wait guard(current_unit(), how);
    if (guard.is_asked()) {
        return base::status::canceled;
    }
    countdown all(current_unit(), units, count);
    suspend_published<suspension_reason::waits>(
        [&all]() noexcept { all.register_all(); },
        [units, count]() noexcept { trace_join(joined::all, units, count); });
    if (guard.was_interrupted() && all.is_listed) {
        if (all.take_back()) {
            return base::status::canceled;
        }
        guard.await_waker();
    }
    for (std::size_t i = 0; i < count; ++i) {
        probe::acquire(units[i]);
    }
    return all.outcome;
}

const work_unit* joiner_of(const completion& waiting) noexcept {
    if (waiting.notify == guarded_joiner::ended) {
        return static_cast<const guarded_joiner&>(waiting).joiner;
    }
    return waiting.notify == countdown::one_less ? static_cast<const countdown&>(waiting).joiner
                                                 : nullptr;
}

base::status detach(work_unit* u) noexcept {
    if (u == nullptr) {
        return base::status::invalid_handle;
    }
    if (u->join.is_local()) {
        if (is_confined_elsewhere(*u)) {
            return detach_from_elsewhere(*u);
        }
        u->join.open();
    }
    forbid_claims(this_worker_or_null(), *u);
    word::value found;
    if (u->join.try_detach(&found)) {
        return base::status::ok;
    }
    if (found != word::finished) {
        return base::status::already_joined;
    }
    dispose(this_worker_or_null(), u);
    return base::status::ok;
}

}  // namespace lazult::core
