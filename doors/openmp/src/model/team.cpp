// SPDX-License-Identifier: BSD-3-Clause
#include "model/team.hpp"

namespace lazult::omp {

void task_kind::tell_sleepers(team& all) noexcept { notify_sleepers(all); }

basic_task_queue<task_kind>& task_kind::home(const task& t) noexcept { return t.parent->on->tasks; }

template class basic_task_queue<task_kind>;

LAZULT_NOINLINE void wake_sleepers(team& all) noexcept {
    wake_one(&all.inside);
    wake_one(&all.end);
    wake_one(&all.running);
}

void make_urgent(team& all, task& what) noexcept {
    const std::lock_guard hold(all.urgent_lock);
    task** link = &all.urgent;
    while (*link != nullptr && (*link)->priority >= what.priority) {
        link = &(*link)->next;
    }
    what.next = *link;
    *link = &what;
    all.urgent_count.store(all.urgent_count.load(std::memory_order_relaxed) + 1,
                           std::memory_order_relaxed);
}

void landing::tell_waiters() const noexcept {
    all_.offered.fetch_add(1, std::memory_order_seq_cst);  // pairs with: team::news()
    wake_all(parent_);
    wake_all(group_);
    wake_all(&all_.running);
}

void landing::tell() const noexcept {
    tell_waiters();
    notify_sleepers(all_);
}

void landing::tell_everybody() const noexcept {
    tell_waiters();
    wake_all(&all_.inside);
    wake_all(&all_.end);
}

// tell() is needed because the task's creator may wait for the task while all other threads sleep.
void offer(thread* t, task& what) noexcept {
    const landing here(what);
    if (t == nullptr) {
        make_urgent(*what.its_team, what);
        here.tell_everybody();
    } else if (what.parent->on == t || what.priority > 0) {
        make_available(*t, what);
        here.tell();
    } else {
        t->tasks.push_away(&what);
        here.tell();
    }
}

}  // namespace lazult::omp
