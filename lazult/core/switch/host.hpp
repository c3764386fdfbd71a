// SPDX-License-Identifier: BSD-3-Clause
// A host runs units: it is what core/ knows of a scheduler. It starts fresh units by their
// technique, resumes suspended ones, and gets control when a unit has no better place for it. A
// main host runs on an OS thread, a stacked host is a unit of another host.
//
// The functions between the loop and the switch are inlined into one another, so that control that
// comes back to the loop finds no return to mispredict. See lazult/arch/x86_64/switch.S.
//
// A host's frame is in one of these states while a unit runs. The techniques are named by their
// initials: RoC is return on completion, SC scheduler creation, SS stack separation.
//   saved      context_ is set: the unit was started or resumed by a switch (full, lazy stack, RoC)
//   occupied   occupant_ is set: the host's frame waits under or beside the unit by a plain call
//              (SC, SS, RoC). promote() ends this state at the first suspension of the occupant, or
//              of a unit above it.
//   dead       neither: the frame was abandoned; the host restarts from its beginning, on stk_ or a
//              fresh stack
// A stateless host keeps everything in its object, so that its frame may die. See
// docs/techniques.md.
#pragma once

#include <cstdint>
#include <utility>

#include "lazult/core/switch/latent.hpp"
#include "lazult/core/switch/look_period.hpp"
#include "lazult/core/switch/requests.hpp"
#include "lazult/core/worker/stack_shortage.hpp"
#include "lazult/core/worker/steal_lane.hpp"
#include "lazult/core/worker/transfer.hpp"

namespace lazult::core {

struct call_at_once;

// Gives a stack back after control has left it.
void left_stack(void* left) noexcept;

class host {
public:
    host(const host&) = delete;
    host& operator=(const host&) = delete;
    virtual ~host();

    // --- life, called by sched/
    // Runs the loop on the calling OS thread, on a stack of the host's own, until the host leaves.
    base::status run_on_thread(worker& w) noexcept;
    // Takes charge of an OS thread. The code that runs there becomes the unit `primary`. The host
    // runs nothing before `primary` suspends. `primary` stays on its thread, or wanders to the
    // streams that serve its home pool. In both cases it must be back when the thread is released.
    enum class primary_kind : std::uint8_t { stays, wanders };
    base::status adopt_thread(worker& w, work_unit* primary,
                              primary_kind kind = primary_kind::stays) noexcept;
    void release_thread(worker& w) noexcept;
    // The entry function of a stacked scheduler: the argument is the host.
    static void run_as_unit(void* self);
    // Called by a stacked host's own loop: lets the scheduler below run other units for a while.
    void yield_to_parent() noexcept;
    // As yield_to_parent(), until another caller makes self_unit() ready, as suspend() would.
    void suspend_to_parent(entry_function after, void* argument) noexcept;

    // Called before a main host starts: sets the unit that stands for the host's own code. The unit
    // is prepared, never launched, and may not suspend. Its creator frees it after the host's end.
    void set_identity(work_unit& u) noexcept;

    // Called by code on a main host's stream: when the loop ends, `next` takes this host's place
    // there, instead of giving the OS thread back. Works also on an adopted thread.
    void succeed_by(host& next) noexcept { successor_ = &next; }

    // Takes a stack for the loop. Called by a main host's OS thread before the host starts, when a
    // lack of memory can still be reported. Returns false if memory is exhausted.
    bool take_stack(worker& w) noexcept;
    void give_stack_back(worker& w) noexcept;

    // Called by a unit of this host that is about to suspend. Returns whether the loop would have
    // nothing to do, so that the unit may as well spin instead.
    virtual bool would_idle(worker&) noexcept { return false; }
    // Returns whether the loop would do nothing but poll. For a unit that polls for events itself
    // while it spins instead of suspending.
    virtual bool would_only_poll(worker&) noexcept { return false; }

    bool is_stateless() const noexcept { return stateless_; }
    // Returns whether users see the host's units as parts of one thread, which take turns and so
    // may share data. For ThreadSanitizer alone.
    virtual bool is_one_thread() const noexcept { return false; }
    host* parent() const noexcept { return parent_; }
    // The unit as which the host's own code runs: a stacked host's unit, or a main host's identity;
    // nullptr if a main host has none.
    work_unit* self_unit() const noexcept { return self_; }
    bool is_stacked() const noexcept { return stacked_; }
    // Returns whether the caller is a scheduler's own code that has a unit.
    static bool runs_own_code(const worker& w) noexcept {
        return w.current != nullptr && w.here != nullptr && w.here->self_ == w.current;
    }
    std::uint8_t stack_class() const noexcept { return stack_class_; }

    // --- used by core/ on behalf of the running unit
    // Returns the next unit to run without the loop; nullptr if there is none or the loop is due.
    work_unit* pick(worker& w) noexcept {
        if (spend()) LAZULT_UNLIKELY {
            return nullptr;
        }
        pool* p = fast_pool_;
        if (p != nullptr && p->is_private_to(&w) && p->has_local()) LAZULT_LIKELY {
            return p->pop(w);
        }
        return pick_beyond(w);
    }
    bool loop_is_due() const noexcept { return budget_ < 0; }
    // Returns the address of a number that changes at every scheduling point, for observers on
    // other threads.
    const int* scheduling_points() const noexcept { return &budget_; }
    // Counts a scheduling point. Returns true if the loop is due.
    bool spend() noexcept { return --budget_ < 0; }

    // Makes the loop due at once; it begins with this unit.
    void run_first(worker& w, work_unit* u) noexcept {
        hand_over(w, u);
        budget_ = -1;
    }
    bool has_handed_over() const noexcept { return handed_over_ != nullptr; }

    // Returns whether a unit of this pool may go on under this host without passing through the
    // pool. If the pool is private, the host's stream must own it.
    bool serves(const worker& w, const pool& p) const noexcept {
        return p.is_private_to(&w) || p.serves(w) || (!p.is_private() && takes_from(p));
    }
    // Returns whether the host looks for units in this pool.
    bool takes_from(const pool& p) const noexcept { return &p == fast_pool_ || has_pool(p); }

    // Called before the running unit suspends: promotes the occupant, makes creators ready, and
    // makes units of kept calls (latent.hpp).
    void settle() noexcept {
        if ((reinterpret_cast<std::uintptr_t>(occupant_) |
             reinterpret_cast<std::uintptr_t>(latent_)) != 0) LAZULT_UNLIKELY {
            settle_below();
        }
    }
    // Called by the running unit: lists the calls that it keeps, until drop(), or until settle()
    // makes units of them. Lists nest.
    void keep(latent_calls& calls) noexcept {
        calls.below = latent_;
        latent_ = &calls;
    }
    void drop(latent_calls& calls) noexcept {
        latent_calls** at = &latent_;
        while (*at != nullptr && *at != &calls) {  // null: release_thread() has emptied the list
            at = &(*at)->below;
        }
        if (*at != nullptr) {
            *at = calls.below;
        }
    }
    // Makes units of all kept calls. Changes nothing else below.
    void give_kept_calls() noexcept;

    // Finds where to switch for `next`, which runs from now on: its context, or its fresh stack.
    // Returns false if the loop must run `next`.
    LAZULT_ALWAYS_INLINE static bool find_target(worker& w, work_unit* next, arch::context& to,
                                                 const arch::entry_record*& fresh) noexcept {
        if (next == nullptr) LAZULT_UNLIKELY {
            return false;
        }
        to = next->context_or_mark();
        if (!work_unit::is_context(to)) {
            if (to == nullptr) {
                return find_fresh_target(w, next, to, fresh);
            }
            to = next->saved_context();
        }
        if (must_be_asked(*next)) LAZULT_UNLIKELY {
            return false;
        }
        *w.error_number = next->error_number;
        next->set_running(w.stream_number());
        w.current = next;
        return true;
    }
    // Returns whether a suspended unit has requests that its resumer must look at, because the unit
    // itself does not when it is resumed.
    static bool must_be_asked(const work_unit& u) noexcept {
        return has_requests(u) && u.has(flag_tail_yield);
    }

    // Gives control away from the running unit: to `next` at once if possible, else to the loop,
    // which then runs `next`. after(argument) runs when the unit's context is saved.
    LAZULT_ALWAYS_INLINE void switch_from(worker& w, work_unit* self, work_unit* next,
                                          entry_function after, void* argument) noexcept {
        arch::context to = nullptr;
        const arch::entry_record* fresh = nullptr;
        if (!find_target(w, next, to, fresh)) LAZULT_UNLIKELY {
            switch_to_loop(w, self, next, after, argument);
            return;
        }
        void* fake = nullptr;
        depart(next->stk, &fake);
        arch::lazult_switch(&self->context, to, after, argument, fresh, next);
        arrive(fake);
    }
    // Gives control to the loop, which runs `next` first.
    void switch_to_loop(worker& w, work_unit* self, work_unit* next, entry_function after,
                        void* argument) noexcept;
    // Both functions give control away from a unit that has ended on the stack `left`, and give
    // that stack back. departure_to() returns where to return to, for a `next` that has a context.
    // leave_for() goes there at once, for any `next` or none.
    LAZULT_ALWAYS_INLINE static arch::departure departure_to(worker& w, work_unit* next,
                                                             stack* left) noexcept {
        const arch::context to = next->saved_context();
        w.current = next;
        next->set_running(w.stream_number());
        *w.error_number = next->error_number;
        depart(next->stk, nullptr);
        return {to, w.stacks.keep_at_once(left) ? nullptr : left};
    }
    [[noreturn]] void leave_for(worker& w, work_unit* next, stack* left) noexcept;
    // Gives control away from a unit that has ended on its user's stack. The user may free that
    // stack as soon as the end is known, so the end is made known after control has left the stack.
    [[noreturn]] void leave_users_stack(worker& w, work_unit* ended) noexcept;
    // Ends the running unit, which is fully fledged, and goes on with the next one.
    [[noreturn]] static void finish_running() noexcept;
    // Returns whether `u` stands first in the queue at the end of which a yield would put the
    // running unit.
    bool is_next_of(const worker& w, const work_unit& running, const work_unit* u) const noexcept {
        const pool* p = fast_pool_;
        return p != nullptr && p == running.home && p->is_next_here(&w, u);
    }
    // pick() that also puts the running unit at the end of its queue. Returns nullptr, and leaves
    // the queue as it was, if that is not simple.
    LAZULT_ALWAYS_INLINE work_unit* pick_for(worker& w, work_unit* self) noexcept {
        pool* p = fast_pool_;
        if (budget_ > 0 && p == self->home && p->is_private_to(&w) && p->has_local())
            LAZULT_LIKELY {
            --budget_;
            return p->rotate(self);
        }
        return pick_in_lane_for(w, self);
    }

    // Starts `child` from its running parent, by return on completion. The parent becomes ready. If
    // the child does not suspend, and no thread takes the parent from its pool, the child's end is
    // a plain return into the parent.
    void call_from(worker& w, work_unit* parent, work_unit* child) noexcept;

    // Calls the unit on its stack `s`: see at_once.hpp. Afterwards unit_fate says whether the unit
    // returned.
    void call_unit(worker& w, call_at_once& call, stack* s) noexcept;
    // Returns whether creators or kept calls below the running unit wait for settle().
    bool keeps_work_below() const noexcept { return calls_ != nullptr || latent_ != nullptr; }

protected:
    // An own loop is stateless if its frame may be abandoned in run(), and own_loop() called anew.
    enum class loop_kind : std::uint8_t { standard, own_stateless, own_stateful };
    explicit host(loop_kind loops) noexcept;
    // Creates a host above the unit, or the outside thread, that runs on `w`. It serves run()
    // alone, while that unit or thread is in run(). Its loop is due at every scheduling point.
    explicit host(worker& w) noexcept;

    // Returns a ready unit or nullptr. Called by the loop and by running units. Must not suspend.
    virtual work_unit* next(worker& w) noexcept = 0;
    virtual bool has_pool(const pool&) const noexcept { return false; }
    // Called when there is nothing to run: polls, spins, sleeps. Returns false to leave the loop.
    virtual bool wait(worker& w) noexcept = 0;
    // Called by the loop once in `event_period` scheduling points. Looks for events. May return a
    // unit that next() would not choose yet, so that no pool starves.
    virtual work_unit* poll(worker&) noexcept { return nullptr; }
    // Called when the loop has ended: the host is no longer in charge.
    virtual void ended(worker&) noexcept {}
    // Called when a stacked host's own code gives way, and when it goes on, maybe on another
    // stream.
    virtual void gives_way(worker&) noexcept {}
    virtual void is_back(worker&) noexcept {}
    // Called when this host, a successor, is in charge. Nothing refers to the former host any more.
    virtual void took_over(worker&) noexcept {}
    // Replaces the standard loop if the constructor said so. The host leaves when own_loop()
    // returns.
    virtual void own_loop() {}

    // Called when the unit that stood for this host (push_scheduler) is freed, by the thread that
    // frees it. Nothing refers to the host any more, so it may delete itself. That thread may still
    // stand on the unit's own stack.
    virtual void released() noexcept {}

    // For own loops: runs a unit, then the units that its end makes ready for this stream, then
    // those that were handed over, until none is left.
    void run(work_unit* u) noexcept;
    // Returns the unit that was handed to the loop, and forgets it; nullptr if there is none.
    work_unit* take_handed_over() noexcept;
    // Sets how many scheduling points may pass without the loop: units switch to the next one
    // themselves. 1 means none: each yield, suspension, join and end comes back to the loop, which
    // decides. Then a unit runs without the loop only if the unit that gives way names it
    // (yield_to, child first, a child in place).
    void set_budget(int scheduling_points) noexcept {
        period_.set_longest(scheduling_points);
        budget_ = scheduling_points - 1;
    }
    // About how many scheduling points pass between two calls of poll().
    int points_between_polls() const noexcept { return period_.points(); }
    void set_fast_pool(pool* p) noexcept { fast_pool_ = lane_pool_ = p; }
    // `first` is a private pool. The host takes units from `second` when `first` is empty.
    void set_fast_pools(pool* first, pool* second) noexcept {
        fast_pool_ = first;
        lane_pool_ = second;
    }
    // Called for a main host before it starts. The default is LAZULT_SCHEDULER_STACK_SIZE.
    void set_stack_size(std::size_t bytes) noexcept { stack_class_ = stack_class_for(bytes); }

private:
    friend struct host_entry;
    friend void dispose_slowly(worker* w, work_unit* u) noexcept;

    LAZULT_ALWAYS_INLINE static bool find_fresh_target(worker& w, work_unit* next,
                                                       arch::context& to,
                                                       const arch::entry_record*& fresh) noexcept {
        if (!starts_alone(*next) || !has_stack(w, *next)) {
            return false;
        }
        to = begin_alone(w, *next);
        fresh = &full_unit_entry;
        w.current = next;
        return true;
    }
    [[noreturn]] void leave_for_loop(worker& w, entry_function left, void* argument) noexcept;
    // Returns whether a fresh unit needs no loop to start it, by full or lazy stack.
    static bool starts_alone(const work_unit& fresh) noexcept {
        return (fresh.header.plan == technique::full ||
                fresh.header.plan == technique::lazy_stack) &&
               !has_requests(fresh);
    }
    // Takes a stack for the unit if it has none. Returns false if out of memory.
    static bool has_stack(worker& w, work_unit& fresh) noexcept {
        if (fresh.stk == nullptr) {
            fresh.stk = w.stacks.allocate_and_fetch_next(fresh.header.stack_class);
        }
        return fresh.stk != nullptr;
    }
    // Prepares the unit's stack, and returns its top. The unit runs from now on.
    static std::byte* begin_alone(worker& w, work_unit& fresh) noexcept {
        stack* s = fresh.stk;
        cleanse(s);
        fresh.set_started(w.alone_mark);
        w.count.started.increment();
        return s->top();
    }
    static stack* own_stack_for(worker& w, work_unit* u) noexcept {
        while (!has_stack(w, *u)) LAZULT_UNLIKELY {
            await_stack(w, u->header.stack_class);
        }
        return u->stk;
    }
    work_unit* put_off(worker& w, work_unit* u) noexcept;
    // Returns whether a fresh unit may start on the stack `left`, with which another unit has just
    // finished. A stack that the unit has already is given back: `left` is like it, and warm.
    static bool inherits(const work_unit& next, const stack& left) noexcept {
        return !probe::tsan && next.context == nullptr && starts_alone(next) &&
               next.header.stack_class == left.recycle_class && !next.has(flag_user_stack);
    }
    static const arch::entry_record loop_entry;  // the loop, from its beginning
    static const arch::entry_record full_unit_entry;
    static const arch::entry_record
        redirected_entry;  // the end of a unit that was called and promoted
    // Returns AddressSanitizer's fake stack of the loop that control arrives at, or that begins
    // anew in place of a loop with abandoned frames.
    void* take_fake() noexcept {
        if constexpr (probe::asan) {
            return std::exchange(fake_, nullptr);
        }
        return nullptr;
    }

    // Whether this OS thread owns the lane of lane_pool_, and no thief has asked there. The host
    // takes units from lane_pool_ when fast_pool_ is empty.
    bool has_open_lane(const worker& w) const noexcept {
        return w.lane != nullptr && w.lane->is_open_for(lane_pool_);
    }
    // pick_for() for a unit that is at home in lane_pool_.
    work_unit* pick_in_lane_for(worker& w, work_unit* self) noexcept;
    work_unit* change_turns_at_home(worker& w, work_unit* self) noexcept;
    work_unit* pick_beyond(worker& w) noexcept;
    work_unit* pick_anywhere(worker& w) noexcept;

    work_unit* execute(worker& w, work_unit* u) noexcept;
    work_unit* turn_away(worker& w, work_unit* u, start_verdict why) noexcept;
    work_unit* resume(worker& w, work_unit* u) noexcept;
    bool leaves_stack_to(work_unit* u) noexcept;
    start_mode choose(worker& w, const work_unit& u) noexcept;
    start_mode fall_back(worker& w, const work_unit& u, technique wanted) noexcept;
    work_unit* start_here(worker& w, work_unit* u) noexcept;
    work_unit* call_on_stack(worker& w, work_unit* u, bool save) noexcept;
    work_unit* start_on_stack(worker& w, work_unit* u) noexcept;
    work_unit* end_of_call(worker& w, work_unit* u) noexcept;
    void settle_below() noexcept;
    void promote() noexcept;
    void promote_creators() noexcept;
    void ensure_stack(worker& w) noexcept;
    template <class Leave>
    void as_unit_of_parent(Leave&& leave) noexcept;
    void hand_over(worker& w, work_unit* next) noexcept;
    arch::departure loop() noexcept;
    arch::departure leave() noexcept;
    [[noreturn]] void hand_on(worker& w) noexcept;
    work_unit* choose_next(worker& w) noexcept;
    int points_until_look() noexcept;

    // Written and read by the OS thread that this host is in charge of.
    arch::context context_ = nullptr;
    work_unit* occupant_ = nullptr;
    call_at_once* calls_ = nullptr;  // the newest call at once; its unit is then the occupant
    // the newest caller's; the callers run, or stand below the running unit
    latent_calls* latent_ = nullptr;
    stack* stk_ = nullptr;
    pool* fast_pool_ = nullptr;
    pool* lane_pool_ = nullptr;
    // scheduling points until the loop is due, minus one: negative when it is due
    int budget_ = 63;
    look_period period_{arch::tsc_rate() / 10'000};  // 0.1 ms
    work_unit* handed_over_ = nullptr;
    work_unit* self_ = nullptr;  // a stacked host's own unit, or a main one's identity
    host* parent_ = nullptr;
    host* successor_ = nullptr;
    arch::context return_context_ = nullptr;
    // AddressSanitizer's fake stack of the loop while the loop calls a unit on another stack
    void* fake_ = nullptr;
    bool stateless_;
    bool has_own_loop_;
    bool stacked_ = false;  // runs as a unit, above another host
    std::uint8_t stack_class_;
};

}  // namespace lazult::core
