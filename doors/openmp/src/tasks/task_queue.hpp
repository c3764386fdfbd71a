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
#include <memory>

#include "tasks/task.hpp"
#include "tasks/theft_pace.hpp"

namespace lazult::omp {

// field     who writes           who reads  order
// lane_     the owner, once      thieves    release / acquire
// asked_    thieves, the owner   the owner  relaxed: a hint: how many tasks, or 0
// given_*   under lock_          the same   the lock's
// count_    under lock_          anybody    relaxed: a hint
class task_queue {
    using lane = ds::deque<task>;

public:
    task_queue() = default;
    ~task_queue() { delete lane_.load(std::memory_order_relaxed); }
    task_queue(const task_queue&) = delete;
    task_queue& operator=(const task_queue&) = delete;

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
    task* steal(task_queue& into, Fits fits, std::uint32_t wanted = most_at_once) {
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
    task* take_some(task_queue& into, Fits fits) {
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
    spin_lock lock_;
    task* first_given_ = nullptr;
    task** last_given_ = &first_given_;
    atomic<std::uint32_t> count_{0};
};

}  // namespace lazult::omp
