// SPDX-License-Identifier: BSD-3-Clause
// Which tasks a thread may start, and where it finds one.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

inline bool may_start(const thread& t, const task& what) noexcept {
    return t.suspended_tied == nullptr || what.parent == t.suspended_tied->what ||
           what.has(task_untied) || what.nearly_descends_from(*t.suspended_tied->what);
}

// While it lives, the unit's tied task counts as suspended at a scheduling point.
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

// A task of the team for this thread to start, or nullptr: an urgent one, its newest, another
// thread's oldest. It descends from the tied tasks that are suspended here.
task* find_task(thread& t) noexcept;
// The same for a unit that looks again soon. It leaves other threads' tasks alone for a while if
// the last ones that it took were too small: see theft_pace.hpp.
task* find_worthwhile(thread& t) noexcept;
// The same without other threads' tasks; and without urgent ones.
task* find_near(thread& t, team& all) noexcept;
task* take_own(thread& t) noexcept;
// Of other threads: the thief asks for `wanted` tasks.
task* steal_task(thread& t, team& all, std::uint32_t wanted = task_queue::most_at_once) noexcept;
// A task that may start while a unit of the thread waits, and lies under one that may not, not
// below the index `lowest`.
task* find_buried_task(thread& t, std::uint64_t lowest) noexcept;

}  // namespace lazult::omp
