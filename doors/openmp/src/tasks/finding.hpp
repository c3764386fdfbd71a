// SPDX-License-Identifier: BSD-3-Clause
// Says which tasks a thread may start, and finds one.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

inline bool may_start(const thread& t, const task& what) noexcept {
    return t.suspended_tied == nullptr || what.parent == t.suspended_tied->what ||
           what.has(task_untied) || what.nearly_descends_from(*t.suspended_tied->what);
}

// While the object exists, the unit's task, if tied, counts as suspended at a scheduling point.
class tied_suspension {
public:
    tied_suspension(thread& t, task& what) noexcept
        : t_(what.has(task_untied) ? nullptr : &t), me_{&what, t.suspended_tied, nullptr} {
        if (t_ != nullptr) {
            if (me_.before != nullptr) {
                me_.before->after = &me_;
            }
            t.suspended_tied = &me_;
        }
    }
    tied_suspension(const tied_suspension&) = delete;
    tied_suspension& operator=(const tied_suspension&) = delete;
    ~tied_suspension() {
        if (t_ == nullptr) {
            return;
        }
        if (me_.before != nullptr) {
            me_.before->after = me_.after;
        }
        (me_.after != nullptr ? me_.after->before : t_->suspended_tied) = me_.before;
    }

private:
    thread* t_;
    suspended_tied_task me_;
};

// Takes a task that the thread may start, or returns nullptr. Looks for tasks with a priority, then
// for the thread's newest, then for other threads' oldest.
task* find_task(thread& t) noexcept;
// As find_task(), for a unit that looks again soon. Steals nothing for a while if the last stolen
// tasks were too small: see theft_pace.hpp.
task* find_worthwhile(thread& t) noexcept;
// As find_task(), but does not steal. take_own() also leaves out tasks with a priority.
task* find_near(thread& t, team& all) noexcept;
task* take_own(thread& t) noexcept;
// Steals a task from another thread, which it asks for `wanted` tasks.
task* steal_task(thread& t, team& all, std::uint32_t wanted = task_queue::most_at_once) noexcept;
// Takes a task that may start from under tasks that may not, but none below index `lowest`.
task* find_buried_task(thread& t, std::uint64_t lowest) noexcept;

}  // namespace lazult::omp
