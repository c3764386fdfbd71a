// SPDX-License-Identifier: BSD-3-Clause
// The queue of an OpenMP thread's tasks that have not started. Its owner, the thread, takes the
// newest first. Thieves take the oldest first.
//
// The owner's units push to a deque, and pop from it without a locked instruction. A thief asks the
// owner for tasks. The owner moves those it can spare to a list of exposed tasks, where a thief can
// look at a task before it takes it (exposed_tasks.hpp). If the owner does not answer, the thief
// steals from the deque itself, which costs microseconds. core/worker/steal_lane.hpp does the same
// for units.
//
// A thief moves several tasks at once into its own deque. There they are *away*. A task's parent
// and group count away tasks, so that a unit that waits for them knows whether it has to look into
// other threads' queues. A task that leaves a deque without starting becomes exposed, in the list
// of the thread that created it.
//
// While a thread examines or moves a task, the task is in no queue. Other units that look for tasks
// meanwhile may find none, and go to sleep. So the thread that puts the task into a queue again
// notifies them.
//
// A task leaves a deque once, and comes into another at most once for each theft. An exposed task
// is found in constant time. So the cost of a task does not depend on how many others wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "doors/openmp/src/model/exposed_tasks.hpp"
#include "doors/openmp/src/model/theft_pace.hpp"

namespace lazult::omp {

// field     written by           read by    order
// lane_     the owner, once      thieves    release / acquire
// asked_    thieves, the owner   the owner  relaxed: a hint: how many tasks thieves want, or 0
// exposed_  see exposed_tasks.hpp
//
// `Kind` defines what a task is, and how units that look for tasks are notified: see task_kind in
// team.hpp.
template <class Kind>
class basic_task_queue {
    using task = typename Kind::task;
    using landing = typename Kind::landing;
    using lane = ds::deque<task, typename Kind::atomics>;
    template <class T>
    using atomic = typename Kind::atomics::template atomic<T>;

public:
    ~basic_task_queue() { delete lane_.load(std::memory_order_relaxed); }

    // Adds a task. Its parent must run on this queue's thread.
    LAZULT_ALWAYS_INLINE void push(task* t) {
        lane& own = own_lane();
        if (const std::uint64_t index = own.bottom_index(); t->parent->lowest_child > index) {
            t->parent->lowest_child = index;
        }
        push_to(own, t);
    }
    // Adds a task. Its parent may run on another thread.
    void push_away(task* t) {
        note_away(*t);
        push_anew(t);
    }
    // Takes the newest task in the deque if it fits. Otherwise returns nullptr.
    template <class Fits>
    task* take_newest(Fits fits) {
        task* t = pop();
        if (t == nullptr) {
            return nullptr;
        }
        if (fits(*t)) LAZULT_LIKELY {
            return settled(t);
        }
        push_again(t);
        return nullptr;
    }
    // As take_newest(), but otherwise takes an exposed task that fits.
    template <class Fits>
    task* take(Fits fits) {
        task* t = take_newest(fits);
        return t != nullptr ? t : exposed_.take(fits);
    }
    // Takes the newest task in the deque that fits, but none below the index `lowest`. The tasks
    // above it become exposed. Called by a unit before it sleeps, because perhaps only that task
    // ends its wait.
    template <class Fits>
    task* dig(Fits fits, std::uint64_t lowest) noexcept {
        while (bottom_index() > lowest) {
            task* const t = pop();
            if (t == nullptr) {
                return nullptr;
            }
            if (fits(*t)) {
                return settled(t);
            }
            put_back(t);
        }
        return nullptr;
    }

    // --- by any thread
    bool maybe_has_work() const noexcept {
        // pairs with: make_lane(), store of lane_
        const lane* own = lane_.load(std::memory_order_acquire);
        return exposed_.has_any() || (own != nullptr && !own->empty_estimate());
    }
    static constexpr std::uint32_t most_at_once = theft_pace::most_tasks;
    // Takes a task that fits, or returns nullptr. Also moves up to `more` others that fit to
    // `into`, the thief's queue. If no exposed task fits, the thief asks the owner for `wanted`
    // tasks. The owner must not call this function.
    template <class Fits>
    task* steal(basic_task_queue& into, Fits fits, std::uint32_t wanted = most_at_once,
                std::uint32_t more = most_at_once) {
        if (task* t = take_some(into, fits, more); t != nullptr) {
            return t;
        }
        // pairs with: make_lane(), store of lane_
        lane* theirs = lane_.load(std::memory_order_acquire);
        if (theirs == nullptr || theirs->empty_estimate()) {
            return nullptr;
        }
        await_answer(wanted);
        if (task* t = take_some(into, fits, more); t != nullptr) {
            return t;
        }
        task* t = theirs->steal();
        if (t != nullptr && !fits(*t)) {
            put_back(t);
            return nullptr;
        }
        return t == nullptr ? nullptr : settled(t);
    }
    // Takes an exposed child of `parent`, or returns nullptr. `parent` must run on this queue's
    // thread.
    template <class Parent>
    task* take_exposed_child(Parent& parent) noexcept {
        if (parent.first_exposed.load(std::memory_order_relaxed) == nullptr) LAZULT_LIKELY {
            return nullptr;
        }
        return exposed_.take_child(parent);
    }
    // Takes an exposed task of the group `of`, from any thread's list, or returns nullptr.
    template <class Group>
    static task* take_exposed_member(Group& of) noexcept {
        while (of.first_exposed.load(std::memory_order_relaxed) != nullptr) LAZULT_UNLIKELY {
            basic_task_queue* const home = home_of_first(of);
            if (task* t = home == nullptr ? nullptr : home->exposed_.take_member(of);
                t != nullptr) {
                return t;
            }
            // Another thread took the first task, or has not finished its change of that list.
            Kind::atomics::pause();
        }
        return nullptr;
    }
    // Exposes a task that the caller took but does not start, on the thread that created it.
    static void put_back(task* t) noexcept;

    exposed_tasks<Kind>& exposed() noexcept { return exposed_; }
    std::size_t size_estimate() const noexcept {
        // pairs with: make_lane(), store of lane_
        const lane* own = lane_.load(std::memory_order_acquire);
        return (own == nullptr ? 0 : own->size_estimate()) + exposed_.count();
    }

private:
    LAZULT_ALWAYS_INLINE task* pop() noexcept {
        lane* own = lane_.load(std::memory_order_relaxed);
        task* t = own == nullptr ? nullptr : own->pop();
        if (t != nullptr && asked_.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
            give();
        }
        return t;
    }
    std::uint64_t bottom_index() const noexcept {
        const lane* own = lane_.load(std::memory_order_relaxed);
        return own == nullptr ? 0 : own->bottom_index();
    }
    LAZULT_ALWAYS_INLINE lane& own_lane() {
        lane* const own = lane_.load(std::memory_order_relaxed);
        return own != nullptr ? *own : *make_lane();
    }
    // Pushes a task to the deque. Afterwards another thread may run it.
    LAZULT_ALWAYS_INLINE void push_to(lane& own, task* t) {
        own.push(t);
        if (asked_.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
            give();
        }
    }
    void push_anew(task* t) { push_to(own_lane(), t); }
    static void note_away(task& t) noexcept {
        t.is_away = true;
        t.parent->away.fetch_add(1, std::memory_order_relaxed);
        if (t.group != nullptr) {
            t.group->away.fetch_add(1, std::memory_order_relaxed);
        }
    }
    // Takes a task that has left a deque from the counts of away tasks. Returns the task.
    LAZULT_ALWAYS_INLINE static task* settled(task* t) noexcept {
        if (t->is_away) LAZULT_UNLIKELY {
            t->is_away = false;
            t->parent->away.fetch_sub(1, std::memory_order_relaxed);
            if (t->group != nullptr) {
                t->group->away.fetch_sub(1, std::memory_order_relaxed);
            }
        }
        return t;
    }
    template <class Group>
    static basic_task_queue* home_of_first(Group& of) noexcept {
        const std::lock_guard hold(of.exposed_lock);
        task* const first = of.first_exposed.load(std::memory_order_relaxed);
        return first == nullptr ? nullptr : &Kind::home(*first);
    }
    template <class Fits>
    task* take_some(basic_task_queue& into, Fits fits, std::uint32_t most) {
        if (!exposed_.has_any()) {
            return nullptr;
        }
        task* more[most_at_once];
        std::size_t count = 0;
        task* const found =
            exposed_.take_some(fits, more, count, most, [](task& each) { note_away(each); });
        into.push_moved(more, count);
        return found;
    }
    lane* make_lane();
    void push_again(task* t);
    void push_moved(task** some, std::size_t count);
    void give() noexcept;
    void await_answer(std::uint32_t wanted) noexcept;

    atomic<lane*> lane_{nullptr};
    atomic<std::uint32_t> asked_{0};
    exposed_tasks<Kind> exposed_;
};

template <class Kind>
LAZULT_NOINLINE auto basic_task_queue<Kind>::make_lane() -> lane* {
    auto* const own = new lane(Kind::capacity);
    lane_.store(own, std::memory_order_release);  // pairs with: steal(), maybe_has_work(), loads
    return own;
}

// Answers a thief: exposes the oldest tasks, as many as were asked for, but at most half of all.
template <class Kind>
LAZULT_NOINLINE void basic_task_queue<Kind>::give() noexcept {
    const std::size_t wanted = asked_.load(std::memory_order_relaxed);
    asked_.store(0, std::memory_order_relaxed);
    lane& own = *lane_.load(std::memory_order_relaxed);
    const std::size_t all = own.size_estimate();
    task* first = nullptr;
    task** end = &first;
    for (std::size_t left = std::min(wanted, (all + 1) / 2); left != 0; --left) {
        task* t = own.take_oldest();
        if (t == nullptr) {
            break;
        }
        if (t->is_away) {
            put_back(t);
            continue;
        }
        t->next = nullptr;
        *end = t;
        end = &t->next;
    }
    if (first != nullptr) {
        auto& whole = *first->its_team;  // the caller's team
        exposed_.add_newest(first);
        Kind::tell_sleepers(whole);
    }
}

// Pushes a task back that did not fit. Does not notify by `landing`: that would change the epoch
// each time, so that a unit that looks again and again would keep itself awake.
template <class Kind>
LAZULT_NOINLINE void basic_task_queue<Kind>::push_again(task* t) {
    auto& all = *t->its_team;
    push_anew(t);
    Kind::tell_sleepers(all);
}

// Pushes stolen tasks to the thief's deque, the last one first: so the thief pops them in the order
// of `some`. Notifies once for neighbours with the same parent and group.
template <class Kind>
void basic_task_queue<Kind>::push_moved(task** some, std::size_t count) {
    while (count != 0) {
        task* t = some[--count];
        const landing here(*t);
        push_anew(t);
        if (count == 0 || !here.is_also_of(*some[count - 1])) {
            here.tell();
        }
    }
}

template <class Kind>
LAZULT_NOINLINE void basic_task_queue<Kind>::put_back(task* t) noexcept {
    const landing here(*t);
    Kind::home(*settled(t)).exposed_.add_oldest(t);
    here.tell_everybody();
}

// Asks the owner for tasks, and waits about as long as a theft from the deque would take.
template <class Kind>
void basic_task_queue<Kind>::await_answer(std::uint32_t wanted) noexcept {
    asked_.store(wanted, std::memory_order_relaxed);
    for (int i = 0; i < Kind::patience && !exposed_.has_any(); ++i) {
        Kind::atomics::pause();
    }
}

}  // namespace lazult::omp
