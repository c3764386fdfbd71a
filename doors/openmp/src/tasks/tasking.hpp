// SPDX-License-Identifier: BSD-3-Clause
// Running tasks, and waiting for them.
#pragma once

#include "teams/team.hpp"

namespace lazult::omp {

// What a flow may be called over: at least that much stack must be left below it. With a technique
// other than adaptive, none may: each task starts by that.
inline constexpr std::size_t least_room = std::size_t{48} << 10;
bool has_room_for_call() noexcept;
bool each_in_its_own_flow() noexcept;

// Whether its team is cancelled, or the innermost taskgroup that the program has opened around it.
inline bool is_cancelled(const task& what) noexcept {
    if (what.its_team->is_cancelled()) {
        return true;
    }
    const taskgroup* group = what.group;
    while (group != nullptr && group->is_workshare) {
        group = group->outer;
    }
    return group != nullptr && group->cancelled.load(std::memory_order_relaxed);
}

// A task of the team for this thread to start, or nullptr: an urgent one, its newest, another
// thread's oldest. It descends from the tied tasks that are displaced here.
task* find_task(thread& t) noexcept;
// The same for a flow that looks again soon. It leaves other threads' tasks alone for a while if
// the last ones that it took were too small: see theft_pace.hpp.
task* find_worthwhile(thread& t) noexcept;
// By the thread on which it ran: the end of a task that its creator called, and that is counted
// nowhere.
LAZULT_NOINLINE void end_uncounted_partly(thread& t, task& what) noexcept;
LAZULT_ALWAYS_INLINE void end_uncounted(thread& t, task& what) noexcept {
    if (!what.has_had_children()) LAZULT_LIKELY {
        t.cache->return_after_call(&what);
    } else {
        end_uncounted_partly(t, what);
    }
}
// The end of a task that is counted in its parent alone, by the thread on which it ran. The parent
// may wait for it on another flow.
void note_child_end_here(thread& t, task& parent) noexcept;
// Runs it, on top of the calling flow, to its end.
void run_task(thread& t, task& what);
// Runs the task in a flow of its own. The caller gives way to that flow, and goes on when it ends
// or blocks. Without a host, or memory for the flow, it runs on top of the caller.
void run_apart(thread& t, task& what);
// Where more tasks wait in a thread's queue than caches hold well, its creator stops for a while,
// and the newest half of them is run, by a flow of its own: if that blocks, the creator goes on.
// Looked at seldom: thieves write some of the words.
inline std::size_t long_queue(const thread& t) noexcept {
    return std::size_t{128} * t.its_team->size;
}
bool is_queue_long(const thread& t) noexcept;
inline bool has_surplus(thread& t) noexcept {
    constexpr std::uint32_t between_looks = 64;
    return ++t.tasks_pushed % between_looks == 0 && is_queue_long(t);
}
void run_surplus(thread& t, task& creator);
// A flow of the thread, by which tasks run: the caller gives way to it, and goes on when it ends or
// blocks. False: no memory.
bool launch_runner(thread& t, core::entry_function entry, void* argument);
// Its entry function calls this at its end.
void end_of_runner(thread& t, team& all) noexcept;
// A flow that runs tasks of the thread, if there is one to run.
work_unit* make_runner(worker& w, thread& t, core::pool& home) noexcept;
// The thread lives where this host is from now on.
void bind_to_host(thread& t, flow_host& h) noexcept;
// A flow of the thread, but a level-1 thread's own, is ending: its host does without it from now
// on.
void end_flow(thread& t) noexcept;

// A task completed, or may be available, and flows may sleep that wait for that: see
// notify_sleepers().
void wake_sleepers(team& all) noexcept;

// Notifies flows of a task that becomes available later than it was created, or again: they may
// have looked for it meanwhile, in vain, and sleep. It uses the addresses of parent and group
// alone: once the task is there, others may run it, and end both. The team still exists: it is the
// caller's, or has a task that has not completed.
class landing {
public:
    explicit landing(const task& what) noexcept
        : all_(*what.its_team), parent_(what.parent), group_(what.group) {}
    bool is_also_of(const task& other) const noexcept {
        return other.parent == parent_ && other.group == group_;
    }
    // Notifies the flows that wait for the task, and one of those in a barrier.
    void tell() const noexcept;
    // Notifies all flows in barriers, too: the first one might not be allowed to start the task.
    void tell_everybody() const noexcept;

private:
    void tell_waiters() const noexcept;

    team& all_;
    const task* parent_;
    const taskgroup* group_;
};

// While it lives, the flow's tied task is displaced at a scheduling point.
class displacement {
public:
    displacement(thread& t, task& what) noexcept
        : t_(what.has(task_untied) ? nullptr : &t), me_{&what, t.displaced, nullptr} {
        if (t_ != nullptr) {
            if (me_.before != nullptr) {
                me_.before->after = &me_;
            }
            t.displaced = &me_;
        }
    }
    displacement(const displacement&) = delete;
    displacement& operator=(const displacement&) = delete;
    ~displacement() {
        if (t_ == nullptr) {
            return;
        }
        if (me_.before != nullptr) {
            me_.before->after = me_.after;
        }
        (me_.after != nullptr ? me_.after->before : t_->displaced) = me_.before;
    }

private:
    thread* t_;
    displaced_task me_;
};

// Prepares the record of an implicit task.
void begin_implicit(thread& t, team& all, std::uint32_t number) noexcept;

void wait_for_children(thread& t, task& self);
void wait_for_group(thread& t, task& self, taskgroup& group);
void taskgroup_begin(task& self);
void taskgroup_finish(thread& t, task& self);

// By its creator, on its thread.
void make_urgent(team& all, task& what) noexcept;
inline void make_available(thread& t, task& what) {
    if (what.priority > 0) LAZULT_UNLIKELY {
        make_urgent(*t.its_team, what);
    } else {
        t.tasks.push(&what);
    }
    notify_sleepers(*t.its_team);
}
// Makes a task available when its last predecessor is done. `t` is the thread that ended that, or
// nullptr if that thread is outside the team.
void offer(thread* t, task& what) noexcept;

// A task region has ended, and its event, if it has one, is fulfilled. `t` is nullptr on threads
// outside the team.
void complete_task(thread* t, task& what) noexcept;
// Completes a task when its event is fulfilled. The task's region has ended before. By any thread.
void complete_detached(task& what) noexcept;
// The same for a task that was discarded: it has completed, and only its record is left.
void forget_discarded(task& what) noexcept;

}  // namespace lazult::omp
