// SPDX-License-Identifier: BSD-3-Clause
// The interface: tasks, taskwait, taskgroups, taskloops, events.
#include <algorithm>
#include <cstring>
#include <optional>

#include "abi/export.hpp"
#include "loops/work_sharing.hpp"
#include "tasks/dependences.hpp"
#include "tasks/reductions.hpp"
#include "tasks/tasking.hpp"
#include "waiting/waiting.hpp"

namespace lazult::omp {
namespace {

// As the interface numbers them.
enum request_flag : unsigned {
    wants_untied = 1,
    wants_final = 1 << 1,
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

struct task_arguments {
    region_function function;
    void* data;
    void (*copy)(void*, void*);
    std::size_t bytes;
    std::size_t alignment;
};

// The alignment is a power of two.
std::byte* aligned(std::byte* at, std::size_t alignment) noexcept {
    return at + (-reinterpret_cast<std::uintptr_t>(at) & (alignment - 1));
}

// As memcpy(), which would be a call: arguments are a few words.
LAZULT_ALWAYS_INLINE void copy_words(void* to, const void* from, std::size_t bytes) noexcept {
    switch (bytes) {
        case 0: return;
        case 8: std::memcpy(to, from, 8); return;
        case 16: std::memcpy(to, from, 16); return;
        case 24: std::memcpy(to, from, 24); return;
        case 32: std::memcpy(to, from, 32); return;
        default: std::memcpy(to, from, bytes);
    }
}

LAZULT_ALWAYS_INLINE task& expect_memory(task* fresh) {
    if (fresh == nullptr) LAZULT_UNLIKELY {
        base::fatal_misuse("OpenMP task", "no memory for it", "create fewer tasks at once");
    }
    return *fresh;
}

LAZULT_ALWAYS_INLINE void begin_record(task& fresh, thread& t, task& parent, unsigned flags) noexcept {
    fresh.parent = &parent;
    fresh.its_team = t.its_team;
    fresh.group = parent.group;
    fresh.created = fresh.finished_here = 0;
    fresh.finished_elsewhere.store(0, std::memory_order_relaxed);
    fresh.records.store(1, std::memory_order_relaxed);
    fresh.depth = parent.depth + 1;
    fresh.priority = 0;
    fresh.flags = static_cast<std::uint8_t>((flags & wants_untied) != 0 ? task_untied : 0);
    fresh.variables = parent.variables;
    fresh.lowest_child = task::no_child;
    if ((flags & wants_final) != 0 || parent.has(task_final)) {
        fresh.set(task_final);
    }
}

LAZULT_ALWAYS_INLINE task& make_record(thread& t, task& parent, const task_arguments& what, std::size_t bytes,
                                       unsigned flags) {
    task& fresh = expect_memory(t.cache->allocate(bytes));
    begin_record(fresh, t, parent, flags);
    fresh.function = what.function;
    fresh.on = nullptr;
    ++parent.created;
    if (parent.group != nullptr) {
        parent.group->tasks.fetch_add(1, std::memory_order_relaxed);  // its creator is in it
    }
    return fresh;
}

// The event's handle is the record's address: the program finds it in its variable, and as the first of the arguments.
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

// At once, on top of its creator, where nobody else waits for it: neither an event nor a dependence. It is counted nowhere, for
// its creator goes on behind its end. Its record is for what the task may create, set or ask.
LAZULT_NOINLINE void run_uncounted(flow_part& mine, region_function function, void* data, unsigned flags) {
    thread& t = *mine.here;
    task& self = *mine.running;
    task& fresh = expect_memory(t.cache->take_for_call());
    begin_record(fresh, t, self, flags);
    fresh.on = &t;
    mine.running = &fresh;
    function(data);
    mine.running = &self;
    end_uncounted(t, fresh);
}

// Likewise, of a task with dependences, an event or arguments to be copied.
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

bool is_cancelled(const task& self) noexcept {
    if (self.its_team->is_cancelled()) {
        return true;
    }
    const taskgroup* group = self.group;
    while (group != nullptr && group->is_workshare) {
        group = group->outer;
    }
    return group != nullptr && group->cancelled.load(std::memory_order_relaxed);
}

struct task_options {
    unsigned flags = 0;
    bool may_be_deferred = true;
    void** depend = nullptr;
    int priority = 0;
    void* event = nullptr;
    const std::uint64_t* bounds = nullptr;  // of a taskloop's task: the first two words of its arguments
};

bool may_defer(const thread& t, const task& self) noexcept {
    return !self.has(task_final) && t.its_team->kind != team_kind::initial && t.host != nullptr;
}

// Inlined where options are known.
LAZULT_ALWAYS_INLINE void create(flow_part& mine, const task_arguments& what, const task_options& options) {
    thread& t = *mine.here;
    task& self = *mine.running;
    const bool is_deferred = options.may_be_deferred && may_defer(t, self);
    constexpr unsigned uncounted_flags = wants_untied | wants_final | has_priority;
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

LAZULT_NOINLINE void create_any_task(region_function fn, void* data, void (*copy)(void*, void*), long bytes,
                                     long alignment, bool if_clause, unsigned flags, void** depend,
                                     int priority, void* event) {
    create_task({fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
                {flags, if_clause, depend, priority, event});
}

// Without any clause but those on data, to be deferred.
LAZULT_NOINLINE void create_plain_task(flow_part& mine, region_function function, void* data,
                                       std::size_t bytes, std::size_t alignment) {
    create(mine, {function, data, nullptr, bytes, alignment}, {});
}

// --- taskloops

struct division {
    std::uint64_t tasks;
    std::uint64_t least;   // iterations of each task
    std::uint64_t larger;  // so many of them, the first ones, have one more
    std::uint64_t last;    // 0: as the others
};

division divide(std::uint64_t count, std::uint64_t wanted, unsigned flags, std::uint64_t team_size) noexcept {
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

void taskgroup_begin(task& self) {
    auto* fresh = new taskgroup;
    fresh->outer = self.group;
    self.group = fresh;
}

void taskgroup_finish(thread& t, task& self) {
    taskgroup* const ended = self.group;
    wait_for_group(t, self, *ended);
    self.group = ended->outer;
    delete ended;
}

}  // namespace lazult::omp

using namespace lazult::omp;

extern "C" {

// The first part has all that most calls need, and makes no other call than the last one: so it saves no registers.
OMP_API void GOMP_task(region_function fn, void* data, void (*copy)(void*, void*), long bytes, long alignment,
                       bool if_clause, unsigned flags, void** depend, int priority, void* event) {
    flow_part* const mine = part_of_unit();
    if (mine == nullptr || copy != nullptr || flags != 0) LAZULT_UNLIKELY {
        create_any_task(fn, data, copy, bytes, alignment, if_clause, flags, depend, priority, event);
    } else if (is_cancelled(*mine->running)) LAZULT_UNLIKELY {
        return;
    } else if (if_clause && may_defer(*mine->here, *mine->running)) {
        create_plain_task(*mine, fn, data, static_cast<std::size_t>(bytes),
                          static_cast<std::size_t>(alignment));
    } else {
        run_uncounted(*mine, fn, data, 0);
    }
}

OMP_API void GOMP_taskloop(region_function fn, void* data, void (*copy)(void*, void*), long bytes,
                           long alignment, unsigned flags, unsigned long wanted, int priority, long start,
                           long end, long step) {
    run_taskloop({{fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
                  flags,
                  wanted,
                  priority,
                  lazult::omp::bounds_of(start, end, step)});
}

OMP_API void GOMP_taskloop_ull(region_function fn, void* data, void (*copy)(void*, void*), long bytes,
                               long alignment, unsigned flags, unsigned long wanted, int priority,
                               unsigned long long start, unsigned long long end, unsigned long long step) {
    run_taskloop({{fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
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
