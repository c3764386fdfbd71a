// SPDX-License-Identifier: BSD-3-Clause
// The tasks that an OpenMP thread created and nobody has started: newest first for itself, oldest
// first for thieves.
//
// Its units push and pop without a locked instruction. A thief asks, and the owner puts what it can
// spare where thieves may look at each task before they take it (exposed_tasks.hpp); the owner that
// does not answer is helped, which costs microseconds. As core/worker/steal_lane.hpp does it for
// units.
//
// A thief moves several tasks at once into its own deque. There they are *away*: the parent and the
// group of a task count those, so that a unit that waits for them knows whether it has to ask other
// threads. A task that leaves a deque without starting returns to the exposed ones of the thread
// that created it.
//
// A task in the hand of a thread that looks at it, or moves it, is in no queue: others that look
// for tasks meanwhile may go to sleep. So the thread that puts one into a queue again notifies
// them.
//
// A task leaves the deque once, returns at most once for each theft, and is found in constant time
// among the exposed ones: so what a task costs does not depend on how many others wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "doors/openmp/src/model/exposed_tasks.hpp"
#include "doors/openmp/src/model/theft_pace.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::omp {

// field     written by           read by    order
// lane_     the owner, once      thieves    release / acquire
// asked_    thieves, the owner   the owner  relaxed: a hint: how many tasks, or 0
// exposed_  see exposed_tasks.hpp
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
    basic_task_queue() = default;
    ~basic_task_queue() { delete lane_.load(std::memory_order_relaxed); }
    basic_task_queue(const basic_task_queue&) = delete;
    basic_task_queue& operator=(const basic_task_queue&) = delete;

    // --- by the owner's units
    // Adds a task. Its parent runs on this thread.
    LAZULT_ALWAYS_INLINE void push(task* t) {
        lane& own = own_lane();
        if (const std::uint64_t index = own.bottom_index(); t->parent->lowest_child > index) {
            t->parent->lowest_child = index;
        }
        push_to(own, t);
    }
    // The same for a task with a parent that may run on another thread.
    void push_away(task* t) {
        note_away(*t);
        push_anew(t);
    }
    // The newest in the deque, if it fits.
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
    // The newest in the deque, if it fits; otherwise one that fits of those that thieves were
    // given.
    template <class Fits>
    task* take(Fits fits) {
        task* t = take_newest(fits);
        return t != nullptr ? t : exposed_.take(fits);
    }
    // A task that fits, not below the index `lowest`. The tasks that lie above it become exposed.
    // For a unit before a wait that perhaps only such a task ends.
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

    // --- by anybody
    bool maybe_has_work() const noexcept {
        // pairs with: make_lane(), store of lane_
        const lane* own = lane_.load(std::memory_order_acquire);
        return exposed_.has_any() || (own != nullptr && !own->empty_estimate());
    }
    static constexpr std::uint32_t most_at_once = theft_pace::most_tasks;
    // A task that fits, or nullptr. Up to `more` others that fit move to `into`, the thief's queue.
    // Not by the owner: the thief asks the owner for `wanted` tasks.
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
    // Exposed children of a task that runs on this thread.
    template <class Parent>
    task* take_exposed_child(Parent& parent) noexcept {
        if (parent.first_exposed.load(std::memory_order_relaxed) == nullptr) LAZULT_LIKELY {
            return nullptr;
        }
        return exposed_.take_child(parent);
    }
    // Exposed members of a group, of any thread.
    template <class Group>
    static task* take_exposed_member(Group& of) noexcept {
        while (of.first_exposed.load(std::memory_order_relaxed) != nullptr) LAZULT_UNLIKELY {
            basic_task_queue* const home = home_of_first(of);
            if (task* t = home == nullptr ? nullptr : home->exposed_.take_member(of);
                t != nullptr) {
                return t;
            }
            // Others took that one, or are about to end what they do with the list there.
            Kind::atomics::pause();
        }
        return nullptr;
    }
    // A task that the caller has in hand, and that does not start now: it is exposed where it was
    // created.
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
    // Others may have it after this.
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
    // A task that has left a deque.
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

// Half of what there is, the oldest first, and not more than they asked for.
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
        auto& whole = *first->its_team;  // the caller's
        exposed_.add_newest(first);
        Kind::tell_sleepers(whole);
    }
}

// By a unit that looks again and again, and that is not to keep itself awake.
template <class Kind>
LAZULT_NOINLINE void basic_task_queue<Kind>::push_again(task* t) {
    auto& all = *t->its_team;
    push_anew(t);
    Kind::tell_sleepers(all);
}

// In the order in which they came. Where several have one parent and one group, one word is enough.
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

// About as long as helping oneself costs.
template <class Kind>
void basic_task_queue<Kind>::await_answer(std::uint32_t wanted) noexcept {
    asked_.store(wanted, std::memory_order_relaxed);
    for (int i = 0; i < Kind::patience && !exposed_.has_any(); ++i) {
        Kind::atomics::pause();
    }
}

}  // namespace lazult::omp
