// SPDX-License-Identifier: BSD-3-Clause
// The tasks that an OpenMP thread created and nobody has started: newest first for itself, oldest first for thieves.
//
// Its flows push and pop without a locked instruction. A thief asks, and the owner puts what it can spare where thieves may
// look at each task before they take it; the owner that does not answer is helped, which costs microseconds. As
// core/steal_lane.hpp does it for units.
//
// A task in the hand of somebody who looks at it, or moves it, is in no queue: whoever looks for tasks meanwhile may go to sleep.
// So who puts one into a queue again tells those who might.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "doors/openmp/src/tasks/theft_pace.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::omp {

// field     who writes           who reads  order
// lane_     the owner, once      thieves    release / acquire
// asked_    thieves, the owner   the owner  relaxed: a hint: how many tasks, or 0
// given_*   under lock_          the same   the lock's
// count_    under lock_          anybody    relaxed: a hint
// `Kind` says what tasks are, and how those are told who look for some: task_kind in task_queue.hpp.
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

    // --- by the owner's flows
    LAZULT_ALWAYS_INLINE void push(task* t) {
        lane* own = lane_.load(std::memory_order_relaxed);
        if (own == nullptr) LAZULT_UNLIKELY {
            own = make_lane();
        }
        own->push(t);
        if (asked_.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
            give();
        }
    }
    // The newest, if it fits; else one of those that thieves were given. Not what lies deeper.
    template <class Fits>
    task* take(Fits fits) {
        task* t = pop();
        if (t != nullptr) LAZULT_LIKELY {
            if (fits(*t)) LAZULT_LIKELY {
                return t;
            }
            push_again(t);
        }
        return take_given(fits);
    }
    // Any that fits. Costs a look at each: before a wait that only that one may end.
    template <class Fits>
    task* dig(Fits fits) noexcept {
        while (task* t = pop()) {
            if (fits(*t)) {
                return t;
            }
            put_back(t);
        }
        return take_given(fits);
    }

    // --- by anybody
    bool maybe_has_work() const noexcept {
        const lane* own = lane_.load(std::memory_order_acquire);  // pairs with: make_lane(), store of lane_
        return has_given() || (own != nullptr && !own->empty_estimate());
    }
    static constexpr std::uint32_t most_at_once = theft_pace::most_tasks;
    // One that may be taken, or nullptr; more of what was given away moves to the thief's queue. By others than the owner, who is
    // asked for so many.
    template <class Fits>
    task* steal(basic_task_queue& into, Fits fits, std::uint32_t wanted = most_at_once) {
        if (task* t = take_some(into, fits); t != nullptr) {
            return t;
        }
        lane* theirs = lane_.load(std::memory_order_acquire);  // pairs with: make_lane(), store of lane_
        if (theirs == nullptr || theirs->empty_estimate()) {
            return nullptr;
        }
        await_answer(wanted);
        if (task* t = take_some(into, fits); t != nullptr) {
            return t;
        }
        task* t = theirs->steal();
        if (t != nullptr && !fits(*t)) {
            put_back(t);
            return nullptr;
        }
        return t;
    }
    std::size_t size_estimate() const noexcept {
        const lane* own = lane_.load(std::memory_order_acquire);  // pairs with: make_lane(), store of lane_
        return (own == nullptr ? 0 : own->size_estimate()) + count_.load(std::memory_order_relaxed);
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
    bool has_given() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
    // Under the lock.
    template <class Fits>
    task* unlink_given(Fits& fits) noexcept {
        task** link = &first_given_;
        while (*link != nullptr && !fits(**link)) {
            link = &(*link)->next;
        }
        task* found = *link;
        if (found != nullptr) {
            *link = found->next;
            if (last_given_ == &found->next) {
                last_given_ = link;
            }
            count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
        }
        return found;
    }
    template <class Fits>
    task* take_given(Fits fits) noexcept {
        if (!has_given()) {
            return nullptr;
        }
        lock_.lock();
        task* found = unlink_given(fits);
        lock_.unlock();
        return found;
    }
    // Half of them, and at most so many as one would give.
    template <class Fits>
    task* take_some(basic_task_queue& into, Fits fits) {
        if (!has_given()) {
            return nullptr;
        }
        task* more[most_at_once];
        std::size_t count = 0;
        lock_.lock();
        task* found = unlink_given(fits);
        const std::size_t wanted =
            std::min<std::size_t>(most_at_once, count_.load(std::memory_order_relaxed) / 2);
        while (found != nullptr && count < wanted && (more[count] = unlink_given(fits)) != nullptr) {
            ++count;
        }
        lock_.unlock();
        into.push_moved(more, count);
        return found;
    }
    lane* make_lane();
    void push_again(task* t);
    void push_moved(task** some, std::size_t count);
    void put_back(task* t) noexcept;
    void put_given_chain(task* first, task** end, std::uint32_t count) noexcept;
    void give() noexcept;
    void await_answer(std::uint32_t wanted) noexcept;

    atomic<lane*> lane_{nullptr};
    atomic<std::uint32_t> asked_{0};
    typename Kind::lock lock_;
    task* first_given_ = nullptr;
    task** last_given_ = &first_given_;
    atomic<std::uint32_t> count_{0};
};

template <class Kind>
LAZULT_NOINLINE auto basic_task_queue<Kind>::make_lane() -> lane* {
    auto* const own = new lane(Kind::room);
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
    std::uint32_t given = 0;
    for (std::size_t left = std::min(wanted, (all + 1) / 2); left != 0; --left) {
        task* t = own.take_oldest();
        if (t == nullptr) {
            break;
        }
        t->next = nullptr;
        *end = t;
        end = &t->next;
        ++given;
    }
    if (given != 0) {
        auto& whole = *first->its_team;  // the caller's
        put_given_chain(first, end, given);
        Kind::tell_sleepers(whole);
    }
}

template <class Kind>
void basic_task_queue<Kind>::put_given_chain(task* first, task** end, std::uint32_t count) noexcept {
    lock_.lock();
    *last_given_ = first;
    last_given_ = end;
    count_.store(count_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    lock_.unlock();
}

// By a flow that looks again and again, and that is not to keep itself awake.
template <class Kind>
LAZULT_NOINLINE void basic_task_queue<Kind>::push_again(task* t) {
    auto& all = *t->its_team;
    push(t);
    Kind::tell_sleepers(all);
}

// In the order in which they came. Where several have one parent and one group, one word is enough.
template <class Kind>
void basic_task_queue<Kind>::push_moved(task** some, std::size_t count) {
    while (count != 0) {
        task* t = some[--count];
        const landing here(*t);
        push(t);
        if (count == 0 || !here.is_also_of(*some[count - 1])) {
            here.tell();
        }
    }
}

template <class Kind>
LAZULT_NOINLINE void basic_task_queue<Kind>::put_back(task* t) noexcept {
    const landing here(*t);
    t->next = nullptr;
    put_given_chain(t, &t->next, 1);
    here.tell_everybody();
}

// About as long as helping oneself costs.
template <class Kind>
void basic_task_queue<Kind>::await_answer(std::uint32_t wanted) noexcept {
    asked_.store(wanted, std::memory_order_relaxed);
    for (int i = 0; i < Kind::patience && !has_given(); ++i) {
        Kind::atomics::pause();
    }
}

}  // namespace lazult::omp
