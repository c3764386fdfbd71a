// SPDX-License-Identifier: BSD-3-Clause
// The interface: tasks, taskwait, taskgroups, taskloops, events.
#include <algorithm>
#include <optional>

#include "abi/export.hpp"
#include "loops/work_sharing.hpp"
#include "tasks/creation.hpp"
#include "tasks/dependences.hpp"
#include "tasks/keeping.hpp"
#include "tasks/reductions.hpp"
#include "tasks/tasking.hpp"
#include "waiting/waiting.hpp"

namespace lazult::omp {
namespace {

// As the interface numbers them.
enum request_flag : unsigned {
    wants_untied = 1,
    wants_final = 1 << 1,
    is_mergeable = 1 << 2,
    has_depend = 1 << 3,
    has_priority = 1 << 4,
    goes_up = 1 << 8,
    has_grainsize = 1 << 9,
    has_if = 1 << 10,
    has_no_group = 1 << 11,
    has_reduction = 1 << 12,
    has_event = 1 << 13,
    is_strict = 1 << 14
};

constexpr unsigned plain_flags = wants_untied | is_mergeable;

struct task_arguments {
    region_function function;
    void* data;
    void (*copy)(void*, void*);
    std::size_t bytes;
    std::size_t alignment;
};

LAZULT_ALWAYS_INLINE unsigned flags_of(unsigned requested, const task& creator) noexcept {
    static_assert(unsigned{task_untied} == wants_untied && unsigned{task_final} == wants_final);
    return (requested & (wants_untied | wants_final)) | (creator.flags & unsigned{task_final});
}

LAZULT_ALWAYS_INLINE task& make_record(thread& t, task& parent, const task_arguments& what,
                                       std::size_t bytes, unsigned flags) {
    task& fresh = expect_memory(t.cache->allocate(bytes));
    begin_record(fresh, t, parent, parent.group, flags_of(flags, parent));
    fresh.function = what.function;
    fresh.on = nullptr;
    fresh.priority = 0;
    ++parent.created;
    if (parent.group != nullptr) {
        parent.group->tasks.fetch_add(1, std::memory_order_relaxed);  // its creator is in it
    }
    return fresh;
}

// The event's handle is the record's address: the program finds it in its variable, and as the
// first of the arguments.
void announce_event(task& fresh, void* handle, void* data) noexcept {
    fresh.event.store(0, std::memory_order_relaxed);
    fresh.set(task_detached);
    *static_cast<void**>(handle) = &fresh;
    if (data != nullptr) {
        *static_cast<void**>(data) = &fresh;
    }
}

LAZULT_ALWAYS_INLINE void copy_arguments(task& fresh, const task_arguments& what,
                                         const std::uint64_t* bounds) {
    fresh.data = aligned(fresh.arguments(), std::max<std::size_t>(what.alignment, 1));
    if (what.copy != nullptr) {
        what.copy(fresh.data, what.data);
        fresh.set(task_constructed);
    } else {
        copy_words(fresh.data, what.data, what.bytes);
    }
    if (bounds != nullptr) {
        std::copy_n(bounds, 2, static_cast<std::uint64_t*>(fresh.data));
    }
}

void await_event(task& waited) {
    const atomic<std::uint32_t>* const event = &waited.event;
    // pairs with: omp_fulfill_event(), fetch_or
    wait_while(wait_kind::event, event,
               [event] { return (event->load(std::memory_order_seq_cst) & event_fulfilled) == 0; });
}

// At once, on top of its creator, where nobody else waits for it: neither an event nor a
// dependence. It is counted nowhere, for its creator goes on behind its end. Its record is for what
// the task may create, set or ask.
LAZULT_NOINLINE void run_uncounted(flow_part& mine, region_function function, void* data,
                                   unsigned flags);

LAZULT_NOINLINE void run_uncounted_without_record(flow_part& mine, region_function function,
                                                  void* data, unsigned flags) {
    task_cache& memory = *mine.here->cache;
    memory.return_after_call(&expect_memory(memory.allocate(0)));
    run_uncounted(mine, function, data, flags);
}

// Written so that few registers are saved.
void run_uncounted(flow_part& mine, region_function function, void* data, unsigned flags) {
    task& self = *mine.running;
    if (is_cancelled(self)) LAZULT_UNLIKELY {
        return;
    }
    task* const fresh = mine.here->cache->take_for_call();
    if (fresh == nullptr) LAZULT_UNLIKELY {
        run_uncounted_without_record(mine, function, data, flags);
        return;
    }
    begin_record(*fresh, *mine.here, self, self.group, flags_of(flags, self));
    fresh->on = mine.here;
    mine.running = fresh;
    function(data);
    mine.running = fresh->parent;
    end_uncounted(*mine.here, *fresh);
}

// At once, too: a task with dependences, an event or arguments to be copied.
void run_undeferred(thread& t, task& self, task& fresh, void** depend) {
    fresh.set(task_undeferred);
    dependence_node* node = nullptr;
    if (depend != nullptr && self.has_unfinished_children()) {
        node = node_for_wait(self, {depend});
        wait_for_predecessors(t, self, *node);
    }
    if (fresh.has(task_detached)) {
        struct awaiting {
            region_function function;
            void* data;
            task* record;
        } both{fresh.function, fresh.data, &fresh};
        fresh.function = [](void* argument) {
            auto& call = *static_cast<awaiting*>(argument);
            call.function(call.data);
            await_event(*call.record);
        };
        fresh.data = &both;
        run_task(t, fresh);
    } else {
        run_task(t, fresh);
    }
    if (node != nullptr) {
        finish_wait_node(t, node);
    }
}

struct task_options {
    unsigned flags = 0;
    bool may_be_deferred = true;
    void** depend = nullptr;
    int priority = 0;
    void* event = nullptr;
    // of a taskloop's task: the first two words of its arguments
    const std::uint64_t* bounds = nullptr;
};

bool may_defer(const thread& t, const task& self) noexcept {
    return !self.has(task_final) && t.its_team->kind != team_kind::initial && t.host != nullptr;
}

// Inlined where options are known.
LAZULT_ALWAYS_INLINE void create(flow_part& mine, const task_arguments& what,
                                 const task_options& options) {
    thread& t = *mine.here;
    task& self = *mine.running;
    const bool is_deferred = options.may_be_deferred && may_defer(t, self);
    constexpr unsigned uncounted_flags = plain_flags | wants_final | has_priority;
    if (!is_deferred && what.copy == nullptr && options.bounds == nullptr &&
        (options.flags & ~uncounted_flags) == 0) {
        run_uncounted(mine, what.function, what.data, options.flags);
        return;
    }
    const std::size_t room = what.bytes + (what.alignment > alignof(task) ? what.alignment : 0);
    const bool copies = is_deferred || what.copy != nullptr || options.bounds != nullptr;
    task& fresh = make_record(t, self, what, copies ? room : 0, options.flags);
    if ((options.flags & has_event) != 0) {
        announce_event(fresh, options.event, what.data);
    }
    if (copies) {
        copy_arguments(fresh, what, options.bounds);
    } else {
        fresh.data = what.data;
    }
    void** const depend = (options.flags & has_depend) != 0 ? options.depend : nullptr;
    if (!is_deferred) {
        run_undeferred(t, self, fresh, depend);
        return;
    }
    if ((options.flags & has_priority) != 0) {
        fresh.priority = std::clamp(options.priority, 0, variables().max_task_priority);
    }
    count_created(*t.its_team, t);
    if (depend != nullptr && !add_dependences(self, fresh, {depend})) LAZULT_UNLIKELY {
        return;
    }
    make_available(t, fresh);
    if (has_surplus(t)) LAZULT_UNLIKELY {
        run_surplus(t, self);
    }
}

LAZULT_NOINLINE void create_task(const task_arguments& what, const task_options& options) {
    flow_part& mine = me();
    if (!is_cancelled(*mine.running)) {
        create(mine, what, options);
    }
}

LAZULT_NOINLINE void create_any_task(region_function fn, void* data, void (*copy)(void*, void*),
                                     long bytes, long alignment, bool if_clause, unsigned flags,
                                     void** depend, int priority, void* event) {
    create_task(
        {fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
        {flags, if_clause, depend, priority, event});
}

// --- tasks without any clause but those on data, that are to be deferred

LAZULT_ALWAYS_INLINE void keep(thread& t, task& self, region_function function, const void* data,
                               std::size_t bytes, unsigned flags) noexcept {
    kept_call& fresh = t.kept.add();
    fresh.creator = reinterpret_cast<std::uintptr_t>(&self) | (flags & wants_untied);
    fresh.function = function;
    copy_words(fresh.arguments, data, bytes);
    ++self.created;
}

LAZULT_NOINLINE void create_plain_task(flow_part& mine, region_function function, void* data,
                                       std::size_t bytes, std::size_t alignment, unsigned flags) {
    thread& t = *mine.here;
    task& self = *mine.running;
    if (is_cancelled(self)) LAZULT_UNLIKELY {
        return;
    }
    if (may_begin_to_keep(t, self) && suits_keeping(self, bytes, alignment) && may_defer(t, self) &&
        make_room_to_keep(t, self)) {
        keep(t, self, function, data, bytes, flags);
    } else {
        create(mine, {function, data, nullptr, bytes, alignment}, {flags});
    }
}

// --- taskloops

struct division {
    std::uint64_t tasks;
    std::uint64_t least;   // iterations of each task
    std::uint64_t larger;  // so many of them, the first ones, have one more
    std::uint64_t last;    // 0: as the others
};

division divide(std::uint64_t count, std::uint64_t wanted, unsigned flags,
                std::uint64_t team_size) noexcept {
    if ((flags & has_grainsize) != 0 && (flags & is_strict) != 0) {
        const std::uint64_t tasks = (count + wanted - 1) / wanted;
        return {tasks, wanted, 0, count - (tasks - 1) * wanted};
    }
    std::uint64_t tasks = wanted == 0 ? team_size : wanted;
    if ((flags & has_grainsize) != 0) {
        tasks = std::max<std::uint64_t>(count / wanted, 1);
    }
    tasks = std::min(tasks, count);
    return {tasks, count / tasks, count % tasks, 0};
}

struct taskloop_request {
    task_arguments what;
    unsigned flags;
    std::uint64_t wanted;
    int priority;
    loop_bounds bounds;
};

void create_loop_task(const taskloop_request& all, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t bounds[] = {all.bounds.at(from), all.bounds.at(to)};
    task_options options;
    options.flags = all.flags & (wants_untied | wants_final | has_priority);
    options.may_be_deferred = (all.flags & has_if) != 0;
    options.priority = all.priority;
    options.bounds = bounds;
    create_task(all.what, options);
}

void create_loop_tasks(const taskloop_request& all) {
    const division d = divide(all.bounds.count, all.wanted, all.flags, me().team_size);
    std::uint64_t from = 0;
    for (std::uint64_t i = 0; i < d.tasks; ++i) {
        std::uint64_t to = from + d.least + (i < d.larger ? 1 : 0);
        if (i + 1 == d.tasks && d.last != 0) {
            to = from + d.last;
        }
        create_loop_task(all, from, to);
        from = to;
    }
}

void run_taskloop(const taskloop_request& all) {
    task& self = *me().running;
    const bool has_group = (all.flags & has_no_group) == 0;
    if (has_group) {
        taskgroup_begin(self);
    }
    if ((all.flags & has_reduction) != 0) {
        auto* arrays = static_cast<std::uintptr_t**>(all.what.data)[2];
        register_reductions(arrays, me().team_size);
        self.group->reductions = arrays;
    }
    if (all.bounds.count != 0) {
        create_loop_tasks(all);
    }
    if (has_group) {
        taskgroup_finish(*me().here, self);
    }
}

}  // namespace

// As it was made. The thread that ended its last task uses the address alone.
static void keep_group(thread& t, taskgroup* ended) {
    ended->reductions = nullptr;
    ended->is_workshare = false;
    ended->cancelled.store(false, std::memory_order_relaxed);
    t.spare_group.reset(ended);
}

void taskgroup_begin(task& self) {
    thread& t = *self.on;
    taskgroup* const fresh = t.spare_group != nullptr ? t.spare_group.release() : new taskgroup;
    fresh->outer = self.group;
    self.group = fresh;
}

void taskgroup_finish(thread& t, task& self) {
    taskgroup* const ended = self.group;
    wait_for_group(t, self, *ended);
    self.group = ended->outer;
    keep_group(t, ended);
}

}  // namespace lazult::omp

using namespace lazult::omp;

extern "C" {

// What most calls need makes no other call, but for a last one: so it saves few registers.
OMP_API void GOMP_task(region_function fn, void* data, void (*copy)(void*, void*), long bytes,
                       long alignment, bool if_clause, unsigned flags, void** depend, int priority,
                       void* event) {
    flow_part* const mine = part_of_unit();
    if (mine == nullptr || (reinterpret_cast<std::uintptr_t>(copy) | (flags & ~plain_flags)) != 0)
        LAZULT_UNLIKELY {
        // So they stay where they are: else all calls would save registers, and load them.
        asm("" : "+m"(depend), "+m"(priority), "+m"(event));
        create_any_task(fn, data, copy, bytes, alignment, if_clause, flags, depend, priority,
                        event);
        return;
    }
    thread& t = *mine->here;
    task& self = *mine->running;
    if (!if_clause || self.has(task_final)) {
        run_uncounted(*mine, fn, data, flags);
    } else if (t.kept.has_room() && self.depth >= t.least_keeping_depth &&
               suits_keeping(self, static_cast<std::size_t>(bytes),
                             static_cast<std::size_t>(alignment))) {
        keep(t, self, fn, data, static_cast<std::size_t>(bytes), flags);
    } else {
        create_plain_task(*mine, fn, data, static_cast<std::size_t>(bytes),
                          static_cast<std::size_t>(alignment), flags);
    }
}

OMP_API void GOMP_taskloop(region_function fn, void* data, void (*copy)(void*, void*), long bytes,
                           long alignment, unsigned flags, unsigned long wanted, int priority,
                           long start, long end, long step) {
    run_taskloop(
        {{fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
         flags,
         wanted,
         priority,
         lazult::omp::bounds_of(start, end, step)});
}

OMP_API void GOMP_taskloop_ull(region_function fn, void* data, void (*copy)(void*, void*),
                               long bytes, long alignment, unsigned flags, unsigned long wanted,
                               int priority, unsigned long long start, unsigned long long end,
                               unsigned long long step) {
    run_taskloop(
        {{fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
         flags,
         wanted,
         priority,
         lazult::omp::bounds_of((flags & goes_up) != 0, start, end, step)});
}

OMP_API void GOMP_taskwait() {
    const flow_part& mine = me();
    wait_for_children(*mine.here, *mine.running);
}

OMP_API void GOMP_taskwait_depend(void** depend) {
    const flow_part& mine = me();
    thread& t = *mine.here;
    task& self = *mine.running;
    if (!self.has_unfinished_children()) {
        return;
    }
    dependence_node* node = node_for_wait(self, {depend});
    wait_for_predecessors(t, self, *node);
    finish_wait_node(t, node);
}

// Others run: flows that are ready here, and a task that may start here.
OMP_API void GOMP_taskyield() {
    const flow_part& mine = me();
    thread& t = *mine.here;
    const displacement here(t, *mine.running);
    if (t.its_team->kind == team_kind::initial) {
        return;
    }
    if (task* found = find_task(t); found != nullptr) {
        run_apart(t, *found);
    } else {
        core::yield();
    }
}

OMP_API void GOMP_taskgroup_start() { taskgroup_begin(*me().running); }

OMP_API void GOMP_taskgroup_end() {
    const flow_part& mine = me();
    taskgroup_finish(*mine.here, *mine.running);
}

// By any thread of the process.
OMP_API void omp_fulfill_event(std::uintptr_t handle) {
    auto* const what = reinterpret_cast<task*>(handle);
    const atomic<std::uint32_t>* const word = &what->event;
    // pairs with: end_task_partly() and end_discarded(), fetch_or, and await_event()
    const std::uint32_t before = what->event.fetch_or(event_fulfilled, std::memory_order_seq_cst);
    if ((before & event_region_ended) == 0) {
        wake_all(word);  // its region has not ended, and may wait for this
    } else if ((before & event_of_no_use) != 0) {
        forget_discarded(*what);
    } else {
        complete_detached(*what);
    }
}
OMP_API void omp_fulfill_event_(std::uintptr_t handle) { omp_fulfill_event(handle); }
}
