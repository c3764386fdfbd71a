// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/awaiting.hpp"

#include "tasks/finding.hpp"
#include "tasks/keeping.hpp"
#include "tasks/running.hpp"
#include "threads/headroom.hpp"
#include "threads/spinning.hpp"

namespace lazult::omp {
namespace {

// What a unit may wait for. Each class has
//   must_wait()    whether the unit still has to wait; other units call it, too
//   is_mine(task)  whether the unit waits for this task, which then may be called on its stack
//   exposed(t)     takes such a task if it is exposed, or returns nullptr
//   is_elsewhere() whether such a task may be in another thread's deque
//   lowest()       a lower bound of such tasks' indices in the thread's own deque

class children_of {
public:
    explicit children_of(task& parent) noexcept : parent_(&parent) {}
    bool must_wait() const noexcept { return parent_->has_unfinished_children(); }
    bool is_mine(const task& what) const noexcept { return what.parent == parent_; }
    task* exposed(thread& t) const noexcept { return t.tasks.take_exposed_child(*parent_); }
    bool is_elsewhere() const noexcept {
        return parent_->away.load(std::memory_order_relaxed) != 0;
    }
    std::uint64_t lowest() const noexcept { return parent_->lowest_child; }

private:
    task* parent_;
};

// Tasks of a group: children of the task that waits, and other descendants.
class members_of {
public:
    explicit members_of(taskgroup& group) noexcept : group_(&group) {}
    // pairs with: leave_group(), fetch_sub
    bool must_wait() const noexcept { return group_->tasks.load(std::memory_order_seq_cst) != 0; }
    bool is_mine(const task& what) const noexcept { return what.group == group_; }
    task* exposed(thread&) const noexcept { return task_queue::take_exposed_member(*group_); }
    static bool is_elsewhere() noexcept { return true; }
    static std::uint64_t lowest() noexcept { return 0; }

private:
    taskgroup* group_;
};

// Children in depend clauses. exposed() takes any child, because these may have to wait for it.
class predecessors_of {
public:
    predecessors_of(task& self, const dependence_node& node) noexcept
        : children_(self), node_(&node) {}
    bool must_wait() const noexcept { return is_waiting(*node_); }
    static bool is_mine(const task&) noexcept { return false; }
    task* exposed(thread& t) const noexcept { return children_.exposed(t); }
    bool is_elsewhere() const noexcept { return children_.is_elsewhere(); }
    std::uint64_t lowest() const noexcept { return children_.lowest(); }

private:
    children_of children_;
    const dependence_node* node_;
};

// A unit tries only a few times to steal tasks that it does not wait for, because there may be many
// of which none may start here.
constexpr std::uint32_t most_failed_thefts = 3;

template <class Waited>
task* find_while_waiting(thread& t, const Waited& waited, std::uint32_t failed_before) noexcept {
    if (task* mine = waited.exposed(t); mine != nullptr) {
        return mine;
    }
    if (task* near = find_near(t, *t.its_team); near != nullptr) {
        return near;
    }
    const bool may_steal =
        waited.is_elsewhere() || t.failed_thefts - failed_before < most_failed_thefts;
    return may_steal ? steal_task(t, *t.its_team) : nullptr;
}

// Runs a task that lies in the deque under tasks that may not start here, because perhaps no other
// unit will; or else sleeps. `news` is team::news() before the caller looked for tasks.
template <class Waited>
LAZULT_NOINLINE void dig_or_sleep(thread& t, const void* key, Waited waited, std::uint64_t news) {
    if (task* deeper = find_buried_task(t, waited.lowest()); deeper != nullptr) {
        run_apart(t, *deeper);
    } else {
        park_while(own_wait::tasks, key, [waited, news, all = t.its_team] {
            return waited.must_wait() && all->news() == news;
        });
    }
}

template <class Waited>
LAZULT_NOINLINE void wait_and_help(unit_data& mine, const void* key, Waited waited) {
    thread& t = *mine.here;
    const team* const all = t.its_team;
    const auto is_mine = [waited](const task& what) { return waited.is_mine(what); };
    const bool may_call = has_headroom();
    spin_budget spin(spin_budget::first_look::at_once);
    std::uint32_t failed_before = t.failed_thefts;
    while (waited.must_wait()) {
        const std::uint64_t news = all->news();
        if (task* child = may_call ? t.tasks.take_newest(is_mine) : nullptr; child != nullptr)
            LAZULT_LIKELY {
            run_in(mine, t, *child);
        } else if (task* other = find_while_waiting(t, waited, failed_before); other != nullptr) {
            run_found(t, *other, waited.is_mine(*other));
            failed_before = t.failed_thefts;
        } else if (!spin.again()) {
            dig_or_sleep(t, key, waited, news);
            spin = spin_budget(spin_budget::first_look::at_once);
            failed_before = t.failed_thefts;
        }
    }
}

// Keeps an ended group for the next one, as if it were new. The thread that ended its last task
// uses only its address by now.
void keep_group(thread& t, taskgroup* ended) {
    ended->reductions = nullptr;
    ended->is_workshare = false;
    ended->cancelled.store(false, std::memory_order_relaxed);
    t.spare_group.reset(ended);
}

}  // namespace

void wait_for_children(unit_data& mine) {
    thread& t = *mine.here;
    task& self = *mine.running;
    if (!self.has_unfinished_children()) {
        return;
    }
    const tied_suspension here(t, self);
    run_kept_children(mine);
    if (self.has_unfinished_children()) {
        wait_and_help(mine, &self, children_of(self));
    }
    self.lowest_child = task::no_child;
}

void wait_for_dependences(unit_data& mine, depend_clauses clauses) {
    thread& t = *mine.here;
    task& self = *mine.running;
    if (!self.has_unfinished_children()) {
        return;
    }
    dependence_node* const node = node_for_wait(self, clauses);
    const predecessors_of waited(self, *node);
    if (waited.must_wait()) {
        const tied_suspension here(t, self);
        wait_and_help(mine, &self, waited);
    }
    finish_node(&t, node);
}

void taskgroup_begin(task& self) {
    thread& t = *self.on;
    taskgroup* const fresh = t.spare_group != nullptr ? t.spare_group.release() : new taskgroup;
    fresh->outer = self.group;
    self.group = fresh;
}

void taskgroup_finish(unit_data& mine) {
    thread& t = *mine.here;
    task& self = *mine.running;
    taskgroup* const ended = self.group;
    if (const members_of waited(*ended); waited.must_wait()) {
        const tied_suspension here(t, self);
        wait_and_help(mine, ended, waited);
    }
    self.group = ended->outer;
    keep_group(t, ended);
}

}  // namespace lazult::omp
