// SPDX-License-Identifier: BSD-3-Clause
// Teams and their OpenMP threads.
#pragma once

#include <memory>
#include <vector>

#include "model/barrier_release.hpp"
#include "model/basic_task_queue.hpp"
#include "model/dependences.hpp"
#include "model/kept_calls.hpp"
#include "model/work_share.hpp"
#include "waiting/parking.hpp"

namespace lazult::omp {

using published_count = basic_published_count<ds::default_atomics>;

class thread_scheduler;
class landing;
struct barrier_wait;
struct extra_share;

struct task_kind {
    using task = omp::task;
    using landing = omp::landing;
    using atomics = ds::default_atomics;
    using lock = spin_lock;
    static constexpr std::size_t capacity = ds::deque<task>::default_capacity;
    // How often a thief looks for the owner's answer: about as long as a theft from the deque.
    static constexpr int patience = 64;
    static void tell_sleepers(team& all) noexcept;
    static basic_task_queue<task_kind>& home(const task& t) noexcept;
};

extern template class basic_task_queue<task_kind>;

// An OpenMP thread's tasks that have not started: its own, and those taken from other threads.
class task_queue : public basic_task_queue<task_kind> {};

// An entry in a thread's list of tied tasks that wait at a scheduling point. Tied tasks that the
// thread starts meanwhile must descend from the last task in the list.
struct suspended_tied_task {
    task* what;
    suspended_tied_task* before;
    suspended_tied_task* after;
};

// An OpenMP thread. Its units run one at a time, because they have one scheduler.
//
// field              written by       read by           order
// created            its units        waiters           see published_count
// completed          its units        waiters           see published_count
// parts              see ds/split_loop.hpp
// processor          its units        its team          relaxed: a hint
// all others         its units        its units         none needed
struct thread {
    team* its_team = nullptr;
    std::uint32_t number = 0;
    std::uint32_t place = 0;  // number of its OpenMP place plus 1; 0: not bound
    std::uint32_t places_first = 0;
    std::uint32_t places_count = 0;
    // runs its units; nullptr: it is a single unit, which runs tasks when it creates them
    thread_scheduler* scheduler = nullptr;
    task_cache* cache = nullptr;
    // the last of its suspended tied tasks; nullptr: none
    suspended_tied_task* suspended_tied = nullptr;
    // the barrier at which its implicit task waits, or nullptr
    const barrier_wait* at_barrier = nullptr;
    std::uint32_t tasks_pushed = 0;   // counts calls of has_surplus()
    std::uint32_t surplus_units = 0;  // units that run surplus or kept tasks
    // how often another thread had tasks, but none that this thread may start
    std::uint32_t failed_thefts = 0;
    // units of a nested team's thread; while not 0, the thread is in thread_scheduler::served()
    std::uint32_t units = 0;
    thread* served_next = nullptr;
    thread* served_before = nullptr;
    std::uint64_t shares_entered = 0;
    // A bit for each slot of team::shares. It is set if the slot's last construct ended with a
    // barrier, so that no thread is in it.
    std::uint32_t shares_passed = 0;
    std::uint64_t singles_entered = 0;
    std::uint64_t loops_entered = 0;  // split loops entered since forget_loops()
    std::uint32_t loops_open = 0;     // split loops entered since a barrier
    share_position at;
    loop_plan own_loop;
    ds::split_loop<> split;
    kept_calls kept;
    std::uint32_t least_keeping_depth = 0;  // tasks of less deep creators are not kept
    task implicit;
    task_queue tasks;
    theft_pace thefts;
    std::unique_ptr<taskgroup> spare_group;
    alignas(base::cache_line) published_count created;
    published_count completed;
    ds::split_parts<> parts;
    atomic<int> processor{-1};        // where its OS thread last waited for long; -1: nowhere yet
    std::int64_t moves_again_at = 0;  // no move before this time, in ns: see spreading.hpp

    ~thread() { forget_dependences(implicit); }

    void stand_at(work_share& s) noexcept { at = {&s, &s.loop}; }
};

// A team's number in its league, and how many teams the league has.
struct league_position {
    std::uint32_t number = 0;
    std::uint32_t teams = 1;
};

enum class team_kind : std::uint8_t { initial, streams, units };

inline constexpr std::size_t share_slots = 8;

// The threads that descend from one initial task. A thread limit counts all of them.
//
// field  written by       read by    order
// busy   forks and joins  forks      relaxed: a number, and no data behind it
struct contention_group {
    atomic<std::uint32_t> busy{1};
};

// The type of a team's two barriers: `inside` is for barriers within the region, `end` is for its
// end, and is not affected by cancellation.
using team_barrier = basic_team_barrier<ds::default_atomics>;
inline void wake_waiters(team_barrier& b) noexcept { wake_all(&b); }

// field      written by                      read by     order
// cancelled  any thread                      any thread  seq_cst: see parking.hpp
// has_tasks  creators; a barrier's opener    all         seq_cst / acquire: barrier_release.hpp
// parked     units that sleep in a barrier,  creators,   seq_cst, with asymmetric barriers
//            or at a nested team's end       finishers
// waking     wakers of sleepers; sleepers    the same    relaxed: see barrier_release.hpp
// fulfilled  fulfillers of events            waiters     seq_cst: see parking.hpp
// offered    finishers of predecessors, and  waiters     seq_cst: see parking.hpp
//            wakers of units in `parked`
// running    units of nested teams           the parent  seq_cst
// singles    threads at a single             the same    relaxed
// all others  the parent, before the fork    all         published by the fork
struct team {
    using atomics = ds::default_atomics;

    std::uint32_t size = 1;
    std::uint32_t level = 0;
    std::uint32_t active_level = 0;
    team_kind kind = team_kind::initial;
    team* outer = nullptr;
    // the team of the outermost region around this one, or this team; nullptr: an initial team
    const team* root = nullptr;
    thread* parent = nullptr;  // the thread that encountered the region
    task* parent_task = nullptr;
    region_function function = nullptr;
    void* data = nullptr;
    league_position league;
    taskgroup* reduction_group = nullptr;  // group of the region's task reductions; nullptr: none
    void* copied = nullptr;
    std::vector<thread*> members;
    // threads that the team itself owns: kind `units`
    std::vector<std::unique_ptr<thread>> owned;
    bool begins_in_share = false;    // a combined construct: shares[0] is set up already
    loop_plan first_loop;            // of a combined construct; used if it is split
    std::uint64_t loops_before = 0;  // thread::loops_entered when the region begins
    int forked_on = -1;              // the processor from which the parent forked; -1: none yet
    // each thread prints its affinity: OMP_DISPLAY_AFFINITY is set, and members have changed
    bool shows_affinity = false;
    icvs variables;  // with which its implicit tasks begin
    contention_group* group = nullptr;
    team* spare = nullptr;  // next in a list of unused teams

    atomic<bool> used_shares{false};  // whether slots were used since reset_shares()
    atomic<bool> had_tasks{false};    // whether tasks were created since the counts were reset
    atomic<bool> cancelled{false};
    atomic<bool> share_cancelled{false};  // a worksharing construct; reset by its barrier
    atomic<bool> has_tasks{false};
    atomic<std::uint32_t> parked{0};
    atomic<std::uint32_t> waking{0};
    atomic<std::uint64_t> fulfilled{0};
    atomic<std::uint64_t> offered{0};  // counts tasks that became available after creation
    atomic<std::uint32_t> running{0};
    alignas(base::cache_line) atomic<std::uint64_t> singles{0};
    team_barrier inside;
    team_barrier end;
    work_share shares[share_slots];
    spin_lock share_lock;  // protects `extras` and `abandoned`
    extra_share* extras = nullptr;
    std::vector<void*> abandoned;  // memory of cancelled constructs; reset_shares() frees it
    spin_lock urgent_lock;
    task* urgent = nullptr;  // tasks with a priority, the highest first
    atomic<std::uint32_t> urgent_count{0};

    bool is_cancelled() const noexcept { return cancelled.load(std::memory_order_relaxed); }
    std::uint64_t news() const noexcept { return news_of(*this); }
};

enum class cancellation : bool { ignored, ends_wait };

// A thread's wait at barrier `where`. `before` is the barrier's generation when the thread arrived.
struct barrier_wait {
    team_barrier& where;
    std::uint32_t before;
    cancellation how;
};
// Returns whether a thread that waits there may find a task to start.
inline bool may_have_tasks(const team& all, const barrier_wait& waited) noexcept {
    return may_have_tasks(all, waited.where, waited.before);
}

// Wakes a unit at each of the team's barriers, and the one that waits for the team's end.
void wake_sleepers(team& all) noexcept;

// Notifies units of a task that becomes available after its creation, or once more. The units may
// have looked for the task before, in vain, and sleep. Make the object before the task goes into a
// queue. Afterwards another thread may run the task and end its parent and group, so tell() uses
// their addresses only. The team still exists: the caller is in it, or one of its tasks has not
// completed.
class landing {
public:
    explicit landing(const task& what) noexcept
        : all_(*what.its_team), parent_(what.parent), group_(what.group) {}
    // Returns whether tell() would notify the same units for `other`.
    bool is_also_of(const task& other) const noexcept {
        return other.parent == parent_ && other.group == group_;
    }
    // Wakes units that wait for children of the parent, or for the group, and one in a barrier.
    void tell() const noexcept;
    // Wakes all units in barriers, too: a single one might not be allowed to start the task.
    void tell_everybody() const noexcept;

private:
    void tell_waiters() const noexcept;

    team& all_;
    const task* parent_;
    const taskgroup* group_;
};

void make_urgent(team& all, task& what) noexcept;
// Makes a task available to the team. Called by the task's creator, on its thread `t`.
inline void make_available(thread& t, task& what) {
    if (what.priority > 0) LAZULT_UNLIKELY {
        make_urgent(*t.its_team, what);
    } else {
        t.tasks.push(&what);
    }
    notify_sleepers(*t.its_team);
}
// Makes a task available when its last predecessor is done. `t` is the thread that ended the
// predecessor, or nullptr if that thread is outside the team.
void offer(thread* t, task& what) noexcept;

// Returns whether the task's team is cancelled, or the innermost taskgroup that the program opened
// around the task.
inline bool is_cancelled(const task& what) noexcept {
    if (what.its_team->is_cancelled()) {
        return true;
    }
    const taskgroup* group = what.innermost_group();
    return group != nullptr && group->cancelled.load(std::memory_order_relaxed);
}

}  // namespace lazult::omp
