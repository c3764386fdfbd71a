// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/creation.hpp"

#include <algorithm>

#include "environment/environment.hpp"
#include "tasks/awaiting.hpp"
#include "tasks/caller.hpp"
#include "tasks/running.hpp"
#include "threads/spinning.hpp"

namespace lazult::omp {
namespace {

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
        // its creator is in the group, which cannot end
        parent.group->tasks.fetch_add(1, std::memory_order_relaxed);
    }
    return fresh;
}

// The event's handle is the record's address. It is stored in the program's variable, and as the
// first argument.
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
    wait_while(own_wait::event, event,
               [event] { return (event->load(std::memory_order_seq_cst) & event_fulfilled) == 0; });
}

// Runs a task with dependences, an event or copied arguments at once, on its creator's stack.
void run_undeferred(unit_data& mine, task& fresh, void** depend) {
    fresh.set(task_undeferred);
    if (depend != nullptr) {
        wait_for_dependences(mine, {depend});
    }
    struct awaiting {
        region_function function;
        void* data;
        task* record;
    } both{fresh.function, fresh.data, &fresh};
    if (fresh.has(task_detached)) {
        fresh.function = [](void* argument) {
            auto& call = *static_cast<awaiting*>(argument);
            call.function(call.data);
            await_event(*call.record);
        };
        fresh.data = &both;
    }
    run_in(mine, *mine.here, fresh);
}

bool may_defer(const thread& t, const task& self) noexcept {
    return !self.has(task_final) && t.its_team->kind != team_kind::initial &&
           t.scheduler != nullptr;
}

// Inlined, because some callers' options are constants.
LAZULT_ALWAYS_INLINE void create(unit_data& mine, const task_arguments& what,
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
        run_undeferred(mine, fresh, depend);
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

LAZULT_NOINLINE void run_uncounted_without_record(unit_data& mine, region_function function,
                                                  void* data, unsigned flags) {
    task_cache& memory = *mine.here->cache;
    memory.return_after_call(&expect_memory(memory.allocate(0)));
    run_uncounted(mine, function, data, flags);
}

}  // namespace

// Calls few functions, so that few registers are saved.
void run_uncounted(unit_data& mine, region_function function, void* data, unsigned flags) {
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

LAZULT_NOINLINE void create_task(const task_arguments& what, const task_options& options) {
    unit_data& mine = me();
    if (!is_cancelled(*mine.running)) {
        create(mine, what, options);
    }
}

LAZULT_NOINLINE void create_plain_task(unit_data& mine, region_function function, void* data,
                                       std::size_t bytes, std::size_t alignment, unsigned flags) {
    thread& t = *mine.here;
    task& self = *mine.running;
    if (is_cancelled(self)) LAZULT_UNLIKELY {
        return;
    }
    if (may_begin_to_keep(t, self) && suits_keeping(self, bytes, alignment) && may_defer(t, self) &&
        prepare_to_keep(t, self)) {
        keep(t, self, function, data, bytes, flags);
    } else {
        create(mine, {function, data, nullptr, bytes, alignment}, {flags});
    }
}

}  // namespace lazult::omp
