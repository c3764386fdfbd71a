// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/keeping.hpp"

#include "tasks/caller.hpp"
#include "tasks/finding.hpp"
#include "tasks/record.hpp"
#include "tasks/running.hpp"
#include "threads/headroom.hpp"

namespace lazult::omp {
namespace {

LAZULT_NOINLINE task* take_record(thread& t, task& parent) {
    task* const ready = t.cache->take_for_call();
    task& fresh = expect_memory(ready != nullptr ? ready : t.cache->allocate(0));
    begin_record(fresh, t, parent, nullptr, 0);
    fresh.on = &t;
    return &fresh;
}

// Runs the newest kept tasks on the caller's stack, as long as they are children of `parent` and
// goes_on() is true after each. They use one record in turn, and are counted in their parent only.
// Its control variables stay the parent's, which does not run meanwhile. If a task sets variables
// or creates tasks, the next one gets another record.
template <bool has_others, class GoesOn>
LAZULT_ALWAYS_INLINE void call_newest_in(unit_data& mine, thread& t, task& parent, GoesOn goes_on) {
    task* const outer = mine.running;
    task* record = nullptr;
    do {
        if (record == nullptr) LAZULT_UNLIKELY {
            mine.running = record = take_record(t, parent);
        }
        const kept_call& call = t.kept.take();
        const region_function function = call.function;
        // Copied, because the task may create tasks, which are kept in the same place.
        alignas(kept_call::alignment) std::byte arguments[kept_call::max_bytes];
        std::memcpy(arguments, call.arguments, kept_call::max_bytes);
        record->flags = static_cast<std::uint16_t>(call.flags());
        if (!t.its_team->is_cancelled()) LAZULT_LIKELY {
            function(arguments);
        }
        if (record->has_had_children()) LAZULT_UNLIKELY {
            end_uncounted_partly(t, *record);
            record = nullptr;
        }
        if constexpr (has_others) {
            if (!has_enough_for_others(t)) LAZULT_UNLIKELY {
                share_oldest(t);
            }
        }
    } while (goes_on() && t.kept.has_child_of(parent));
    if constexpr (has_others) {
        close_if_empty(t);
    }
    mine.running = outer;
    if (record != nullptr) LAZULT_LIKELY {
        t.cache->return_after_call(record);
    }
}

template <class GoesOn>
LAZULT_ALWAYS_INLINE void call_newest(unit_data& mine, thread& t, task& parent, GoesOn goes_on) {
    if (t.its_team->size == 1) {
        call_newest_in<false>(mine, t, parent, goes_on);
    } else {
        call_newest_in<true>(mine, t, parent, goes_on);
    }
}

// Returns whether the newest kept task is a child of `parent` and may start now. If not, `parent`
// may have ended.
bool may_start_child_of(const thread& t, const task& parent) noexcept {
    return t.kept.has_child_of(parent) &&
           (t.suspended_tied == nullptr || t.suspended_tied->what == &parent ||
            parent.nearly_descends_from(*t.suspended_tied->what));
}

// The function of a unit that runs the newest kept children of a task, which has stopped meanwhile.
// If the unit blocks, the task goes on, and may end. The unit counts as one task.
void run_children(void* creator) {
    unit_data& mine = me();
    thread& t = *mine.here;
    team& all = *t.its_team;
    task& parent = *static_cast<task*>(creator);
    count_created(all, t);
    ++t.surplus_units;
    std::size_t left = kept_calls::batch;
    // Once the unit has blocked, `parent` may be another task's record, so the unit is asked first.
    const work_unit& unit = *core::this_worker().current;
    if (may_start_child_of(t, parent)) LAZULT_LIKELY {
        call_newest(mine, t, parent, [&] {
            note_child_end(&t, parent);
            return --left != 0 && !unit.has(core::flag_suspended) && may_start_child_of(t, parent);
        });
    }
    --t.surplus_units;
    t.kept.lower_limit();
    t.completed.increment();
    notify_sleepers(all);
    end_of_runner(t, all);
}

// Runs some kept children of `creator` by a unit of their own. Returns false if none may start, if
// the unit cannot be made, or if it has blocked.
bool run_some_children(thread& t, task& creator) {
    const tied_suspension here(t, creator);
    const std::uint32_t units = t.surplus_units;
    return may_start_child_of(t, creator) && launch_runner(t, run_children, &creator) &&
           t.surplus_units <= units;
}

bool open_kept(thread& t) noexcept {
    if (each_in_its_own_unit() || !t.kept.open()) {
        return false;
    }
    // Schedulers look for tasks only in teams that have had some.
    t.its_team->had_tasks.store(true, std::memory_order_relaxed);
    return true;
}

}  // namespace

// When a unit that runs kept tasks has blocked, new tasks go to the queue until all such units have
// ended. Each blocked unit has a stack, and the queue admits more tasks for each (is_queue_long()),
// so that there are few. While the queue is long, tasks go there, too, because there a creator must
// run some of them.
bool prepare_to_keep(thread& t, task& creator) {
    if (!has_enough_for_others(t)) {
        share_oldest(t);
        if (!has_enough_for_others(t)) {
            t.kept.close();
            return false;
        }
    }
    if (is_queue_long(t)) LAZULT_UNLIKELY {
        t.kept.close();
        share_kept_if_any(t);
        return false;
    }
    if (!t.kept.is_open()) {
        return t.surplus_units == 0 && open_kept(t);
    }
    if (t.kept.children_of(creator) < kept_calls::batch / 2) {
        return t.kept.raise_limit();
    }
    if (!run_some_children(t, creator)) {
        t.kept.close();
        share_kept_if_any(t);
        return false;
    }
    return t.kept.can_add();
}

void call_kept_children(unit_data& mine) {
    if (has_headroom()) {
        task& self = *mine.running;
        call_newest(mine, *mine.here, self, [&] {
            ++self.finished_here;  // no other unit waits for it
            return true;
        });
    }
}

// If there are tasks with a priority, these go first, and the kept tasks go to the queue.
LAZULT_NOINLINE void run_kept_rest(thread& t) {
    task& self = t.implicit;
    const bool others_first = t.its_team->urgent_count.load(std::memory_order_relaxed) != 0;
    if (!others_first && may_start_child_of(t, self) && has_headroom()) {
        call_newest(me(), t, self, [&] {
            ++self.finished_here;
            return may_start_child_of(t, self);
        });
    }
    share_kept_if_any(t);
}

}  // namespace lazult::omp
