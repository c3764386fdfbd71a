// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/tasking.hpp"

#include "flows/flow_host.hpp"
#include "loops/work_sharing.hpp"
#include "tasks/dependences.hpp"
#include "tasks/keeping.hpp"
#include "teams/barrier.hpp"
#include "waiting/waiting.hpp"

namespace lazult::omp {
namespace {

bool may_start(const thread& t, const task& what) noexcept {
    return t.displaced == nullptr || what.parent == t.displaced->what || what.has(task_untied) ||
           what.nearly_descends_from(*t.displaced->what);
}

task* take_urgent(thread& t, team& all) noexcept {
    all.urgent_lock.lock();
    task** link = &all.urgent;
    while (*link != nullptr && !may_start(t, **link)) {
        link = &(*link)->next;
    }
    task* found = *link;
    if (found != nullptr) {
        *link = found->next;
        all.urgent_count.store(all.urgent_count.load(std::memory_order_relaxed) - 1,
                               std::memory_order_relaxed);
    }
    all.urgent_lock.unlock();
    return found;
}

task* steal_task(thread& t, team& all, std::uint32_t wanted = task_queue::most_at_once) noexcept {
    // What a displaced task lets start may not be what the next one does.
    const std::uint32_t more = t.displaced == nullptr ? task_queue::most_at_once : 0;
    for (std::uint32_t i = 1; i < all.size; ++i) {
        thread& victim = *all.members[(t.number + i) % all.size];
        if (victim.tasks.maybe_has_work()) {
            task* found = victim.tasks.steal(
                t.tasks, [&](const task& what) { return may_start(t, what); }, wanted, more);
            if (found != nullptr) {
                return found;
            }
            ++t.failed_thefts;
        }
    }
    return nullptr;
}

bool is_discarded(const task& what) noexcept {
    return !what.has(task_constructed) && is_cancelled(what);
}

// --- the end of tasks

// By a task that completes before its record can go, as others name that: the record names its
// parent's.
void hold_parent(task& what) noexcept {
    what.set(task_holds_parent);
    // It is counted there as a child still, or its parent called it.
    what.parent->records.fetch_add(1, std::memory_order_relaxed);
}

LAZULT_NOINLINE void drop_records(task& what, task_cache* mine) noexcept {
    task* t = &what;
    while (t != nullptr) {
        // acq_rel pairs with: itself: what others did with the record
        const bool is_last = t->records.load(std::memory_order_acquire) == 1 ||
                             t->records.fetch_sub(1, std::memory_order_acq_rel) == 1;
        if (!is_last || t->has(task_implicit)) {
            return;
        }
        task* const parent = t->has(task_holds_parent) ? t->parent : nullptr;
        t->clean();
        task_cache::release(t, mine);
        t = parent;
    }
}

// Of the record itself, or of one of those that it is named by.
void free_record(task& what, task_cache* mine) noexcept {
    // acquire pairs with: drop_records(), fetch_sub
    if (what.records.load(std::memory_order_acquire) == 1 &&
        !what.has(task_implicit | task_holds_parent)) LAZULT_LIKELY {
        what.clean();
        task_cache::release(&what, mine);
    } else {
        drop_records(what, mine);
    }
}

// Leaves the record to the children that have not ended, and to the event (`extra` is 1 then). The
// last of these frees the record. False: nothing is left, and the caller frees it.
bool leave_record_to(task& what, std::uint64_t extra) noexcept {
    const std::uint64_t left = what.created - what.finished_here + extra;
    // acquire pairs with: drop_reference(), fetch_add
    if (left == what.finished_elsewhere.load(std::memory_order_acquire)) {
        return false;
    }
    what.set(task_ended);
    // acq_rel pairs with: drop_reference(), fetch_add: the one that comes to 0 frees the record
    return what.finished_elsewhere.fetch_sub(left, std::memory_order_acq_rel) != left;
}

void drop_reference(task& what, task_cache* mine) noexcept {
    // pairs with: leave_record_to(), and has_unfinished_children()
    if (what.finished_elsewhere.fetch_add(1, std::memory_order_seq_cst) + 1 == 0) {
        free_record(what, mine);
        return;
    }
    wake_all(&what);
}

// Wakes a parent that waits for all its children. If it waits for fewer, because of a depend
// clause, start_successor() in dependences.cpp wakes it.
LAZULT_ALWAYS_INLINE void note_child_end(const thread* t, task& parent) noexcept {
    if (t != nullptr && parent.on == t && !parent.has(task_ended)) LAZULT_LIKELY {
        ++parent.finished_here;
        if (!parent.has_unfinished_children()) {
            wake_all(&parent);
        }
        return;
    }
    drop_reference(parent, t == nullptr ? nullptr : t->cache);
}

void leave_group(taskgroup* group) noexcept {
    // pairs with: must_wait(), load
    if (group != nullptr && group->tasks.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        wake_all(group);
    }
}

// A discarded task has not run, and so has not passed its event on. Nothing may ever fulfil that
// event: the task completes now.
void end_discarded(thread& t, task& what) noexcept {
    complete_task(&t, what);
    // pairs with: omp_fulfill_event(), fetch_or
    const std::uint32_t before =
        what.event.fetch_or(event_region_ended | event_of_no_use, std::memory_order_acq_rel);
    if ((before & event_fulfilled) != 0) {
        drop_reference(what, t.cache);
    }
}

// What others wait for it in, but the team. `t` is nullptr on threads outside that.
LAZULT_ALWAYS_INLINE void leave_all(thread* t, task& what) noexcept {
    if (what.node != nullptr) LAZULT_UNLIKELY {
        finish_node(t, what);
    }
    leave_group(what.group);
    note_child_end(t, *what.parent);
}

// By a thread of its team.
LAZULT_ALWAYS_INLINE void complete_here(thread& t, task& what) noexcept {
    leave_all(&t, what);
    if (!what.has(task_undeferred)) {
        t.completed.increment();
        notify_sleepers(*t.its_team);
    }
}

// Of a task that has children left, or their records, or an event.
void end_task_partly(thread& t, task& what, bool was_discarded) noexcept {
    hold_parent(what);
    if (!what.has(task_detached)) {
        complete_here(t, what);
        if (!leave_record_to(what, 0)) {
            free_record(what, t.cache);
        }
        return;
    }
    leave_record_to(what, 1);
    if (was_discarded) LAZULT_UNLIKELY {
        end_discarded(t, what);
        return;
    }
    // pairs with: omp_fulfill_event(), fetch_or
    if ((what.event.fetch_or(event_region_ended, std::memory_order_acq_rel) & event_fulfilled) !=
        0) {
        complete_here(t, what);
        drop_reference(what, t.cache);
    }
}

LAZULT_NOINLINE void end_task_with_children(thread& t, task& what, bool was_discarded) noexcept {
    share_rest_of(t, what);
    if (what.children_by_address != nullptr) {
        forget_dependences(what);
    }
    if (what.is_named_by_records() || what.has(task_detached)) {
        end_task_partly(t, what, was_discarded);
        return;
    }
    complete_here(t, what);
    free_record(what, t.cache);
}

// The region has ended on this thread.
LAZULT_ALWAYS_INLINE void end_task(thread& t, task& what, bool was_discarded) noexcept {
    if (what.has_had_children() || what.has(task_detached)) LAZULT_UNLIKELY {
        end_task_with_children(t, what, was_discarded);
        return;
    }
    complete_here(t, what);
    task_cache::release(&what, t.cache);
}

// `mine` is the calling flow's, and stays that.
LAZULT_ALWAYS_INLINE void run_in(flow_part& mine, thread& t, task& what) {
    task* const outer = mine.running;
    what.on = &t;
    mine.running = &what;
    const bool runs = !is_discarded(what);
    if (runs) LAZULT_LIKELY {
        what.function(what.data);
    }
    mine.running = outer;
    end_task(t, what, !runs);
}

// --- flows for tasks

bool may_go_on(const thread& t) noexcept {
    const worker& w = core::running_worker();
    return !t.host->has_other_work(w);
}

// The unit's argument is its first task.
void run_one(void* first) {
    thread& t = *me().here;
    team& all = *t.its_team;
    run_task(t, *static_cast<task*>(first));
    end_of_runner(t, all);
}

void run_many(void* first) {
    flow_part& mine = me();
    thread& t = *mine.here;
    team& all = *t.its_team;
    for (auto* what = static_cast<task*>(first); what != nullptr;
         what = may_go_on(t) ? find_task(t) : nullptr) {
        run_in(mine, t, *what);
    }
    end_of_runner(t, all);
}

task* take_own(thread& t) noexcept {
    share_kept_if_any(t);
    return t.tasks.take([&](const task& what) { return may_start(t, what); });
}

task* find_near(thread& t, team& all) noexcept {
    if (all.urgent_count.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
        if (task* found = take_urgent(t, all); found != nullptr) {
            return found;
        }
    }
    return take_own(t);
}

void run_half(void* first) {
    flow_part& mine = me();
    thread& t = *mine.here;
    team& all = *t.its_team;
    std::size_t left = long_queue(t) / 2;
    ++t.surplus_flows;
    for (auto* what = static_cast<task*>(first); what != nullptr;
         what = --left != 0 ? take_own(t) : nullptr) {
        run_in(mine, t, *what);
    }
    --t.surplus_flows;
    end_of_runner(t, all);
}

work_unit* prepare_runner(worker& w, thread& t, core::pool& home, core::entry_function entry,
                          void* argument) {
    work_unit* u = core::prepare(w, home, entry, argument, flow_attributes());
    if (u == nullptr) {
        return nullptr;
    }
    begin_part(*u, {&t.implicit, &t, t.number, t.its_team->size});
    u->join.reset_detached();
    t.host->add_resident();
    if (t.its_team->kind == team_kind::units) {
        t.host->add_flow(t);
        // Relaxed: a flow of this thread is counted already, or the thread itself is the reader.
        t.its_team->running.fetch_add(1, std::memory_order_relaxed);
    }
    return u;
}

// By the last flow of a nested team's thread: afterwards nothing looks for the thread's tasks here.
// The flows that wait for these tasks may be asleep, because the creator of a task notifies only
// the flows in barriers and at the region's end. So the tasks get a flow of their own, behind what
// the host has to do.
void leave_rest(thread& t, team& all) noexcept {
    worker& w = core::this_worker();
    const core::entry_function entry = each_in_its_own_flow() ? run_one : run_many;
    while (task* const rest = find_near(t, all)) {
        work_unit* u = prepare_runner(w, t, *w.current->home, entry, rest);
        if (u != nullptr) {
            core::launch_open(w, u);
            return;
        }
        run_task(t, *rest);
    }
}

}  // namespace

void end_of_runner(thread& t, team& all) noexcept {
    const bool is_nested = all.kind == team_kind::units;
    if (is_nested && t.flows == 1) {
        leave_rest(t, all);
    }
    end_flow(t);
    // pairs with: is_busy(), load
    if (is_nested && all.running.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        wake_all(&all.running);
    }
}

bool launch_runner(thread& t, core::entry_function entry, void* argument) {
    worker& w = core::this_worker();
    work_unit* u = prepare_runner(w, t, *w.current->home, entry, argument);
    if (u == nullptr) {
        return false;
    }
    core::launch_child_first(u);
    return true;
}

// If a setting names a technique, each task starts by that technique, and none is merely called.
bool each_in_its_own_flow() noexcept {
    static const core::technique wanted = base::current_settings().technique;
    return wanted != core::technique::adaptive && wanted != core::technique::run_to_completion;
}

bool has_room_for_call() noexcept {
    if (each_in_its_own_flow()) LAZULT_UNLIKELY {
        return false;
    }
    const worker* w = core::this_worker_or_null();
    if (w == nullptr) {
        return true;
    }
    const core::stack* s = w->current != nullptr ? w->current->stk : &w->thread_stack;
    return s->room_below(lazult::arch::stack_position()) > least_room;
}

task* find_task(thread& t) noexcept {
    team& all = *t.its_team;
    task* near = find_near(t, all);
    return near != nullptr ? near : steal_task(t, all);
}

task* find_worthwhile(thread& t) noexcept {
    team& all = *t.its_team;
    if (task* near = find_near(t, all); near != nullptr) {
        return near;
    }
    if (!t.thefts.are_due() && !t.thefts.are_due(os::now_ns(), variables().spin_ns)) {
        return nullptr;
    }
    task* const found = steal_task(t, all, t.thefts.wanted());
    if (found != nullptr) {
        t.thefts.begin(1 + static_cast<std::uint32_t>(t.tasks.size_estimate()), os::now_ns());
    }
    return found;
}

// Its children's records, which may be left, name its own, and so on.
void end_uncounted_partly(thread& t, task& what) noexcept {
    share_rest_of(t, what);
    if (what.children_by_address != nullptr) {
        forget_dependences(what);
    }
    if (what.is_named_by_records()) {
        hold_parent(what);
        what.parent->count_as_parent();
        if (leave_record_to(what, 0)) {
            return;
        }
    }
    free_record(what, t.cache);
}

void run_task(thread& t, task& what) { run_in(me(), t, what); }

void run_apart(thread& t, task& what) {
    if (t.host == nullptr || !launch_runner(t, run_one, &what)) {
        run_task(t, what);
    }
}

// What runs the surplus may create tasks itself, and gets as much room for them: it would come to
// few of its own tasks otherwise, where these lie above many of others.
bool is_queue_long(const thread& t) noexcept {
    return t.tasks.size_estimate() > long_queue(t) * (1 + t.surplus_flows);
}

void run_surplus(thread& t, task& creator) {
    const displacement here(t, creator);
    task* const first = take_own(t);
    if (first == nullptr) {
        return;
    }
    if (!launch_runner(t, each_in_its_own_flow() ? run_one : run_half, first)) {
        task_queue::put_back(first);
    }
}

namespace {

// A task that may start while a flow of the thread waits, and lies under one that may not. Flows
// that wait look for it before they park, but another flow may have created it since. By the host,
// before it sleeps.
task* find_buried_task(thread& t) noexcept {
    if (t.displaced == nullptr) LAZULT_LIKELY {
        return nullptr;
    }
    return t.tasks.dig([&t](const task& what) { return may_start(t, what); }, 0);
}

}  // namespace

work_unit* make_runner(worker& w, thread& t, core::pool& home) noexcept {
    if (t.at_barrier != nullptr && !may_have_tasks(*t.its_team, *t.at_barrier)) {
        return nullptr;
    }
    task* first = find_task(t);
    if (first == nullptr) {
        first = find_buried_task(t);
    }
    if (first == nullptr) {
        return nullptr;
    }
    work_unit* u = prepare_runner(w, t, home, each_in_its_own_flow() ? run_one : run_many, first);
    if (u == nullptr) {
        task_queue::put_back(first);
        return nullptr;
    }
    probe::release(u);
    return u;
}

void bind_to_host(thread& t, flow_host& h) noexcept {
    t.host = &h;
    t.cache = &h.cache;
}

void end_flow(thread& t) noexcept {
    probe::release(core::this_worker().current);  // pairs with: begin_part()
    t.host->drop_resident();
    if (t.its_team->kind == team_kind::units) {
        t.host->drop_flow(t);
    }
}

LAZULT_NOINLINE void wake_sleepers(team& all) noexcept {
    wake_one(&all.inside);
    wake_one(&all.end);
    wake_one(&all.running);
}

void note_child_end_here(thread& t, task& parent) noexcept { note_child_end(&t, parent); }

void complete_task(thread* t, task& what) noexcept {
    if (t != nullptr) {
        complete_here(*t, what);
        return;
    }
    team& all = *what.its_team;
    const bool is_counted = !what.has(task_undeferred);
    leave_all(nullptr, what);
    if (!is_counted) {
        return;
    }
    // The team may be gone after this: addresses alone. pairs with: has_pending_tasks(), and
    // team::news()
    all.fulfilled.fetch_add(1, std::memory_order_seq_cst);
    wake_all(&all.inside);
    wake_all(&all.end);
    wake_all(&all.running);
}

// The fulfiller's own thread does not count for it, even if it is one of the team.
void complete_detached(task& what) noexcept {
    complete_task(nullptr, what);
    drop_reference(what, nullptr);
}

void forget_discarded(task& what) noexcept { drop_reference(what, nullptr); }

void make_urgent(team& all, task& what) noexcept {
    all.urgent_lock.lock();
    task** link = &all.urgent;
    while (*link != nullptr && (*link)->priority >= what.priority) {
        link = &(*link)->next;
    }
    what.next = *link;
    *link = &what;
    all.urgent_count.store(all.urgent_count.load(std::memory_order_relaxed) + 1,
                           std::memory_order_relaxed);
    all.urgent_lock.unlock();
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

// Where its creator waits for it, and nobody else is awake, it must be woken.
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

thread::~thread() { forget_dependences(implicit); }

void begin_implicit(thread& t, team& all, std::uint32_t number) noexcept {
    t.its_team = &all;
    t.number = number;
    begin_shares(t, all);
    task& own = t.implicit;
    own.parent = all.parent_task;
    own.its_team = &all;
    own.on = &t;
    own.group = all.reduction_group;
    if (own.children_by_address != nullptr) LAZULT_UNLIKELY {
        forget_dependences(own);  // of the region before
    }
    own.created = own.finished_here = 0;
    own.finished_elsewhere.store(0, std::memory_order_relaxed);
    own.depth = all.parent_task == nullptr ? 0 : all.parent_task->depth + 1;
    own.flags = task_implicit;
    own.lowest_child = task::no_child;
    own.variables = all.variables;
    t.kept.close();
    t.least_keeping_depth = keeping_depth(all, own);
}

// --- waiting

namespace {

// What a flow may wait for. Each says
//   must_wait()    whether it still has to; evaluated by other flows too
//   is_mine(task)  whether the flow waits for this task, which then may be called on top of it
//   exposed(t)     such a task that no deque has, or nullptr
//   is_elsewhere() whether such a task may be in another thread's deque
//   lowest()       the least index of such a task in the thread's own deque

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

// Not its children alone: those of tasks in the group that have ended, too.
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

// They are children; others of these may come first.
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

// A flow that waits looks for other tasks than its own a few times only, for these may be many and
// none of them fit.
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

void run_found(thread& t, task& found, bool is_mine) {
    if (is_mine && has_room_for_call()) {
        run_task(t, found);
    } else {
        run_apart(t, found);
    }
}

template <class Waited>
void wait_and_help(thread& t, const void* key, Waited waited) {
    const team* const all = t.its_team;
    const auto is_mine = [waited](const task& what) { return waited.is_mine(what); };
    const bool may_call = has_room_for_call();
    flow_part& mine = me();
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
            // Nobody else may start what lies under tasks that may not start here.
            if (task* deeper = t.tasks.dig([&](const task& what) { return may_start(t, what); },
                                           waited.lowest());
                deeper != nullptr) {
                run_apart(t, *deeper);
            } else {
                park_while(wait_kind::tasks, key,
                           [=] { return waited.must_wait() && all->news() == news; });
            }
            spin = spin_budget(spin_budget::first_look::at_once);
            failed_before = t.failed_thefts;
        }
    }
}

}  // namespace

void wait_for_children(thread& t, task& self) {
    if (!self.has_unfinished_children()) {
        return;
    }
    const displacement here(t, self);
    run_kept_children(t, self);
    if (self.has_unfinished_children()) {
        wait_and_help(t, &self, children_of(self));
    }
    self.lowest_child = task::no_child;
}

void wait_for_group(thread& t, task& self, taskgroup& group) {
    const members_of waited(group);
    if (!waited.must_wait()) {
        return;
    }
    const displacement here(t, self);
    wait_and_help(t, &group, waited);
}

void wait_for_predecessors(thread& t, task& self, const dependence_node& node) {
    const predecessors_of waited(self, node);
    if (!waited.must_wait()) {
        return;
    }
    const displacement here(t, self);
    wait_and_help(t, &self, waited);
}

}  // namespace lazult::omp
