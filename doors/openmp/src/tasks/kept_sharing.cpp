// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/kept_sharing.hpp"

#include "model/task_cache.hpp"
#include "tasks/caller.hpp"
#include "tasks/record.hpp"

namespace lazult::omp {
namespace {

// Puts a kept task into the queue. Its creator has counted it already.
void share(thread& t, const kept_call& call) {
    task& fresh = expect_memory(t.cache->allocate(kept_call::max_bytes));
    begin_record(fresh, t, *call.parent(), nullptr, call.flags());
    fresh.on = nullptr;
    fresh.priority = 0;
    fresh.function = call.function;
    fresh.data = fresh.arguments();
    std::memcpy(fresh.data, call.arguments, kept_call::max_bytes);
    count_created(*t.its_team, t);
    t.tasks.push(&fresh);
}

}  // namespace

// Each unit that runs surplus tasks adds as much room again: it may create tasks itself, and
// without room it would soon stop for other tasks.
bool is_queue_long(const thread& t) noexcept {
    return t.tasks.size_estimate() > long_queue(t) * (1 + t.surplus_units);
}

LAZULT_NOINLINE void share_oldest(thread& t) {
    const std::size_t present = t.tasks.size_estimate();
    const std::size_t wanted = least_for_others + least_for_others / 2;
    const std::size_t count = std::min(t.kept.size(), wanted - std::min(present, wanted));
    if (count != 0) {
        t.kept.take_oldest(count, [&](const kept_call& each) { share(t, each); });
        notify_sleepers(*t.its_team);
    }
    close_if_empty(t);
}

LAZULT_NOINLINE void share_kept(thread& t) {
    t.kept.take_oldest(t.kept.size(), [&](const kept_call& each) { share(t, each); });
    if (t.its_team->size != 1 || is_queue_long(t)) LAZULT_UNLIKELY {
        t.kept.close();
    }
    notify_sleepers(*t.its_team);
}

icvs& variables_to_change() {
    const unit_data& mine = me();
    share_kept_if_any(*mine.here);
    mine.running->count_as_parent();
    return mine.running->variables;
}

}  // namespace lazult::omp
