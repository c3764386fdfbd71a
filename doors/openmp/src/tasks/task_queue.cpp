// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/task_queue.hpp"

#include <algorithm>

#include "tasks/tasking.hpp"

namespace lazult::omp {

LAZULT_NOINLINE task_queue::lane* task_queue::make_lane() {
    auto* const own = new lane;
    lane_.store(own, std::memory_order_release);  // pairs with: steal(), maybe_has_work(), loads
    return own;
}

// Half of what there is, the oldest first, and not more than they asked for.
LAZULT_NOINLINE void task_queue::give() noexcept {
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
        team& whole = *first->its_team;  // the caller's
        put_given_chain(first, end, given);
        notify_sleepers(whole);
    }
}

void task_queue::put_given_chain(task* first, task** end, std::uint32_t count) noexcept {
    lock_.lock();
    *last_given_ = first;
    last_given_ = end;
    count_.store(count_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    lock_.unlock();
}

// By a flow that looks again and again, and that is not to keep itself awake.
LAZULT_NOINLINE void task_queue::push_again(task* t) {
    team& all = *t->its_team;
    push(t);
    notify_sleepers(all);
}

// In the order in which they came. Where several have one parent and one group, one word is enough.
void task_queue::push_moved(task** some, std::size_t count) {
    while (count != 0) {
        task* t = some[--count];
        const landing here(*t);
        push(t);
        if (count == 0 || !here.is_also_of(*some[count - 1])) {
            here.tell();
        }
    }
}

LAZULT_NOINLINE void task_queue::put_back(task* t) noexcept {
    const landing here(*t);
    t->next = nullptr;
    put_given_chain(t, &t->next, 1);
    here.tell_everybody();
}

// About as long as helping oneself costs.
void task_queue::await_answer(std::uint32_t wanted) noexcept {
    constexpr int patience = 64;
    asked_.store(wanted, std::memory_order_relaxed);
    for (int i = 0; i < patience && !has_given(); ++i) {
        ds::default_atomics::pause();
    }
}

}  // namespace lazult::omp
