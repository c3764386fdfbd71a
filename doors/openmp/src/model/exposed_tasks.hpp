// SPDX-License-Identifier: BSD-3-Clause
// Lists of tasks that have left a deque without starting: its owner gave them to thieves, or a
// thread that took them may not start them.
//
// Each thread has one list, of tasks that were created on it. So all exposed tasks of one parent
// are in one thread's list. They also form a second list under the same lock, which begins in the
// parent, so that a taskwait finds a child in constant time, however many other tasks wait. The
// tasks of a taskgroup may have been created by several threads. They form a third list, with a
// lock in the group, which is taken under a thread's lock.
//
// To add a task, or take one by age, parent or group, is a few writes. A search for a task that
// fits looks at a few tasks at each end of the list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "lazult/ds/ds.hpp"

namespace lazult::omp {

// A task's links in one list.
template <class Task>
struct list_links {
    Task* next;
    Task* before;
};

// A task's links in the three lists. They are written under the lists' locks, and undefined while
// the task is not exposed.
template <class Task>
struct exposed_links {
    list_links<Task> by_age;
    list_links<Task> by_parent;
    list_links<Task> by_group;
};

// field     | written by       | read by    | order
// all       | under lock_      | the same   | the lock's
// count_    | under lock_      | any thread | relaxed: a hint
//
// `Kind` is as in basic_task_queue.hpp. A task has the members `exposed` (its links), `parent` and
// `group`. Parent and group have `first_exposed`, an atomic pointer to the head of their list,
// which is a hint outside the locks. A group also has `exposed_lock`. Kind::home(task) is the queue
// of the thread that created the task.
template <class Kind>
class exposed_tasks {
    using task = typename Kind::task;
    using head = typename Kind::atomics::template atomic<task*>;
    using lock_type = typename Kind::lock;
    using places = exposed_links<task>;

public:
    bool has_any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
    std::uint32_t count() const noexcept { return count_.load(std::memory_order_relaxed); }

    // Adds a chain of tasks, linked by `next`, as the newest.
    void add_newest(task* first) noexcept {
        const std::lock_guard hold(lock_);
        while (first != nullptr) {
            task* const following = first->next;
            link(first, last_, nullptr);
            first = following;
        }
    }
    void add_oldest(task* t) noexcept {
        const std::lock_guard hold(lock_);
        link(t, nullptr, first_);
    }

    // Takes a task that fits: one of the few newest or of the few oldest.
    template <class Fits>
    task* take(Fits fits) noexcept {
        return take_if_any([&] { return find_near_ends(fits, last_, first_); });
    }
    // Takes the oldest task that fits, or one of the few newest. Also stores the oldest others in
    // `others`, in order, as long as each fits: at most `most`, and at most half of them. Calls
    // `leaves` for each of these under the lock.
    template <class Fits, class Leaves>
    task* take_some(Fits fits, task** others, std::size_t& taken, std::size_t most,
                    Leaves leaves) noexcept {
        return take_if_any([&]() -> task* {
            task* const found = find_near_ends(fits, first_, last_);
            if (found == nullptr) {
                return nullptr;
            }
            const std::size_t wanted = std::min<std::size_t>(most, (count() - 1) / 2);
            task* at = first_;
            while (taken < wanted && (at == found || fits(*at))) {
                task* const following = at->exposed.by_age.next;
                if (at != found) {
                    others[taken++] = at;
                    leaves(*at);
                    unlink(at);
                }
                at = following;
            }
            return found;
        });
    }
    // Takes a child of `parent`. All exposed children of `parent` are in this list.
    template <class Parent>
    task* take_child(Parent& parent) noexcept {
        return take_if_any([&] { return parent.first_exposed.load(std::memory_order_relaxed); });
    }
    // Takes the first exposed task of group `of`, if that task is in this list.
    template <class Group>
    task* take_member(Group& of) noexcept {
        return take_if_any([&]() -> task* {
            const std::lock_guard hold(of.exposed_lock);
            task* const first = of.first_exposed.load(std::memory_order_relaxed);
            return first != nullptr && &Kind::home(*first).exposed() == this ? first : nullptr;
        });
    }

private:
    static constexpr int looks_at_each_end = 4;

    template <class Find>
    task* take_if_any(Find find) noexcept {
        if (!has_any()) {
            return nullptr;
        }
        const std::lock_guard hold(lock_);
        task* const found = find();
        if (found != nullptr) {
            unlink(found);
        }
        return found;
    }
    // Returns a task that fits, from a few at each end of the list by age; `best` is tried first.
    template <class Fits>
    task* find_near_ends(Fits& fits, task* best, task* other) noexcept {
        const bool is_oldest = best == first_;
        for (int i = 0; i < looks_at_each_end && best != nullptr; ++i) {
            if (fits(*best)) {
                return best;
            }
            if (fits(*other)) {
                return other;
            }
            best = is_oldest ? best->exposed.by_age.next : best->exposed.by_age.before;
            other = is_oldest ? other->exposed.by_age.before : other->exposed.by_age.next;
        }
        return nullptr;
    }

    template <list_links<task> places::* which>
    static void push(head& first, task* t) noexcept {
        task* const old = first.load(std::memory_order_relaxed);
        t->exposed.*which = {old, nullptr};
        if (old != nullptr) {
            (old->exposed.*which).before = t;
        }
        first.store(t, std::memory_order_relaxed);
    }
    template <list_links<task> places::* which>
    static void remove(head& first, task* t) noexcept {
        const list_links<task> was = t->exposed.*which;
        if (was.next != nullptr) {
            (was.next->exposed.*which).before = was.before;
        }
        if (was.before != nullptr) {
            (was.before->exposed.*which).next = was.next;
        } else {
            first.store(was.next, std::memory_order_relaxed);
        }
    }

    void link(task* t, task* before, task* next) noexcept {
        t->exposed.by_age = {next, before};
        (before != nullptr ? before->exposed.by_age.next : first_) = t;
        (next != nullptr ? next->exposed.by_age.before : last_) = t;
        push<&places::by_parent>(t->parent->first_exposed, t);
        if (t->group != nullptr) {
            const std::lock_guard hold(t->group->exposed_lock);
            push<&places::by_group>(t->group->first_exposed, t);
        }
        count_.store(count() + 1, std::memory_order_relaxed);
    }
    void unlink(task* t) noexcept {
        const auto [next, before] = t->exposed.by_age;
        (before != nullptr ? before->exposed.by_age.next : first_) = next;
        (next != nullptr ? next->exposed.by_age.before : last_) = before;
        remove<&places::by_parent>(t->parent->first_exposed, t);
        if (t->group != nullptr) {
            const std::lock_guard hold(t->group->exposed_lock);
            remove<&places::by_group>(t->group->first_exposed, t);
        }
        count_.store(count() - 1, std::memory_order_relaxed);
    }

    lock_type lock_;
    task* first_ = nullptr;  // the oldest; `last_` is the newest
    task* last_ = nullptr;
    typename Kind::atomics::template atomic<std::uint32_t> count_{0};
};

}  // namespace lazult::omp
