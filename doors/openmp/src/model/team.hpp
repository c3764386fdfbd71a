// SPDX-License-Identifier: BSD-3-Clause
// Teams and their OpenMP threads.
#pragma once

#include <memory>
#include <vector>

#include "model/barrier_release.hpp"
#include "model/basic_task_queue.hpp"
#include "model/dependences.hpp"
#include "model/kept_calls.hpp"
#include "model/theft_pace.hpp"
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
    // looks whether the owner has answered: about as long as helping oneself costs
    static constexpr int patience = 64;
    static void tell_sleepers(team& all) noexcept;
    static basic_task_queue<task_kind>& home(const task& t) noexcept;
};

extern template class basic_task_queue<task_kind>;

// An OpenMP thread's tasks that nobody has started: those that it created, and those that it took
// from other threads.
class task_queue : public basic_task_queue<task_kind> {};

// A tied task that is at a scheduling point: what its thread starts meanwhile must descend from it.
struct suspended_tied_task {
    task* what;
    suspended_tied_task* before;
    suspended_tied_task* after;
};

// An OpenMP thread. Its units run by turns, on one OS thread.
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
    std::uint32_t place = 0;  // 0: unbound; else its number plus one
    std::uint32_t places_first = 0;
    std::uint32_t places_count = 0;
    // of its units; nullptr: it is one unit alone, which runs its tasks as it creates them
    thread_scheduler* scheduler = nullptr;
    task_cache* cache = nullptr;
    suspended_tied_task* suspended_tied = nullptr;  // the last one
    const barrier_wait* at_barrier = nullptr;       // where its implicit task waits
    std::uint32_t tasks_pushed = 0;                 // see has_surplus()
    std::uint32_t surplus_units = 0;                // see run_surplus()
    // other threads had tasks, of which none might start here
    std::uint32_t failed_thefts = 0;
    // of a nested team's thread; while there are any, it is in its scheduler's list
    std::uint32_t units = 0;
    thread* served_next = nullptr;
    thread* served_before = nullptr;
    std::uint64_t shares_entered = 0;
    // Bits of the slots in which the last construct ended with a barrier: no thread is there.
    std::uint32_t shares_passed = 0;
    std::uint64_t singles_entered = 0;
    std::uint64_t loops_entered = 0;  // split ones, since their words were forgotten
    std::uint32_t loops_open = 0;     // split ones, which others may not have left
    share_position at;
    loop_plan own_loop;
    ds::split_loop<> split;
    kept_calls kept;
    std::uint32_t least_keeping_depth = 0;  // of creators, to keep their tasks: see keeping.hpp
    task implicit;
    task_queue tasks;
    theft_pace thefts;
    std::unique_ptr<taskgroup> spare_group;
    alignas(base::cache_line) published_count created;
    published_count completed;
    ds::split_parts<> parts;
    atomic<int> processor{-1};        // on which its OS thread was when it last waited for long
    std::int64_t moves_again_at = 0;  // see spreading.hpp

    thread() = default;
    ~thread() { forget_dependences(implicit); }
    thread(const thread&) = delete;
    thread& operator=(const thread&) = delete;

    void stand_at(work_share& s) noexcept { at = {&s, &s.loop}; }
};

// A league of teams on the host, and the team's number in it.
struct league_position {
    std::uint32_t number = 0;
    std::uint32_t teams = 1;
};

enum class team_kind : std::uint8_t { initial, streams, units };

inline constexpr std::size_t share_slots = 8;

// All threads that descend from one initial task, for thread limits.
//
// field  written by  read by    order
// busy   forks,joins forks      relaxed: a number, and no data behind it
struct contention_group {
    atomic<std::uint32_t> busy{1};
};

// Those inside the region. The one at its end is another one of these, which cancellation leaves
// alone.
using team_barrier = basic_team_barrier<ds::default_atomics>;
inline void wake_waiters(team_barrier& b) noexcept { wake_all(&b); }

// field              written by                        read by          order
// cancelled          anybody                           anybody          seq_cst: see parking.hpp
// has_tasks          creators; the opener of a barrier  all             seq_cst / acquire, against
//                                                                       a barrier's generation and
//                                                                       parked: see opening.hpp
// parked             sleepers in a barrier, or at      creators,        seq_cst, with asymmetric
//                    a nested team's end               finishers        barriers
// waking             wakers of sleepers; sleepers      the same         relaxed: see opening.hpp
// fulfilled          fulfillers of events              waiters          seq_cst: see parking.hpp
// offered            finishers of predecessors, and    waiters          seq_cst: see parking.hpp
//                    wakers of sleepers in `parked`
// running            units of nested teams             the parent       seq_cst
// singles            threads at a single               the same         relaxed
// all others         the parent, before the fork       all              published by the fork
struct team {
    using atomics = ds::default_atomics;

    std::uint32_t size = 1;
    std::uint32_t level = 0;
    std::uint32_t active_level = 0;
    team_kind kind = team_kind::initial;
    team* outer = nullptr;
    // the outermost one in its thread of the program; nullptr of an initial one
    const team* root = nullptr;
    thread* parent = nullptr;  // that met the region
    task* parent_task = nullptr;
    region_function function = nullptr;
    void* data = nullptr;
    league_position league;
    taskgroup* reduction_group = nullptr;  // of a parallel with task reductions
    void* copied = nullptr;
    std::vector<thread*> members;
    std::vector<std::unique_ptr<thread>> owned;  // of those, the ones that are this team's own
    bool begins_in_share = false;    // a combined construct: the first work share is there already
    loop_plan first_loop;            // where it is split, that of such a construct
    std::uint64_t loops_before = 0;  // thread::loops_entered at the beginning
    int forked_on = -1;              // the processor on which the parent was
    // each thread says where it is: OMP_DISPLAY_AFFINITY, and the threads are other ones
    bool shows_affinity = false;
    icvs variables;  // that its implicit tasks begin with
    contention_group* group = nullptr;
    team* spare = nullptr;  // in the list of teams to be used again

    atomic<bool> used_shares{false};  // since the slots of work shares were reset
    atomic<bool> had_tasks{false};    // since the counts of its threads were reset
    atomic<bool> cancelled{false};
    atomic<bool> share_cancelled{false};  // a worksharing construct, until the barrier at its end
    atomic<bool> has_tasks{false};
    atomic<std::uint32_t> parked{0};
    atomic<std::uint32_t> waking{0};
    atomic<std::uint64_t> fulfilled{0};
    atomic<std::uint64_t> offered{0};  // tasks that became available later than they were created
    atomic<std::uint32_t> running{0};
    alignas(base::cache_line) atomic<std::uint64_t> singles{0};
    team_barrier inside;
    team_barrier end;
    work_share shares[share_slots];
    spin_lock share_lock;  // of these two
    extra_share* extras = nullptr;
    std::vector<void*> abandoned;  // of constructs that were cancelled, for reset_shares() to free
    spin_lock urgent_lock;
    task* urgent = nullptr;  // tasks with a priority, the most urgent first
    atomic<std::uint32_t> urgent_count{0};

    bool is_cancelled() const noexcept { return cancelled.load(std::memory_order_relaxed); }
    std::uint64_t news() const noexcept { return news_of(*this); }
};

enum class cancellation : bool { ignored, ends_wait };

// What a thread waits for.
struct barrier_wait {
    team_barrier& where;
    std::uint32_t before;
    cancellation how;
};
// Whether there may be tasks that it may start.
inline bool may_have_tasks(const team& all, const barrier_wait& waited) noexcept {
    return may_have_tasks(all, waited.where, waited.before);
}

// A task completed, or may be available, and units may sleep that wait for that: see
// notify_sleepers().
void wake_sleepers(team& all) noexcept;

// Notifies units of a task that becomes available later than it was created, or again: they may
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
    // Notifies the units that wait for the task, and one of those in a barrier.
    void tell() const noexcept;
    // Notifies all units in barriers, too: the first one might not be allowed to start the task.
    void tell_everybody() const noexcept;

private:
    void tell_waiters() const noexcept;

    team& all_;
    const task* parent_;
    const taskgroup* group_;
};

void make_urgent(team& all, task& what) noexcept;
// By its creator, on its thread.
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

// Whether its team is cancelled, or the innermost taskgroup that the program has opened around it.
inline bool is_cancelled(const task& what) noexcept {
    if (what.its_team->is_cancelled()) {
        return true;
    }
    const taskgroup* group = what.innermost_group();
    return group != nullptr && group->cancelled.load(std::memory_order_relaxed);
}

}  // namespace lazult::omp
