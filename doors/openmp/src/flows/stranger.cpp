// SPDX-License-Identifier: BSD-3-Clause
#include "flows/stranger.hpp"

#include <new>

#include "flows/initial_context.hpp"
#include "loops/work_sharing.hpp"
#include "spare_list.hpp"
#include "tasks/tasking.hpp"
#include "threads/os_thread.hpp"

namespace lazult::omp {
namespace {

struct stranger_context : initial_context {
    stranger_context* next = nullptr;
};

using spare_contexts = spare_list<stranger_context, &stranger_context::next>;

spare_contexts& spare() noexcept {
    static base::never_destroyed<spare_contexts> instance;
    return *instance;
}

// At the ULT's end.
void give_back(void* context) { spare().keep(static_cast<stranger_context*>(context)); }

core::local_key key() noexcept {
    static const core::local_key made = core::create_local_key(give_back);
    return made;
}

stranger_context& take_context() {
    stranger_context* const found = spare().take();
    return found != nullptr ? *found : *new stranger_context;
}

// A main thread that became a ULT keeps what it has set.
const icvs& first_variables(const worker& w, const work_unit& u) {
    return u.stk == &w.thread_stack ? this_os_thread().initial.implicit.variables
                                    : variables().first;
}

LAZULT_NOINLINE flow_part& begin_stranger(const worker& w, work_unit& u) {
    stranger_context& fresh = take_context();
    fresh.begin(first_variables(w, u));
    if (!core::set_local(u, key(), &fresh)) {
        base::fatal_misuse("OpenMP", "no memory for what a ULT has outside of regions",
                           "run fewer ULTs at once");
    }
    return fresh.part;
}

}  // namespace

void initial_context::begin(const icvs& first) {
    group.busy.store(1, std::memory_order_relaxed);
    initial_team.kind = team_kind::initial;
    initial_team.group = &group;
    initial_team.members.assign(1, &initial);
    initial_team.variables = first;
    reset_shares(initial_team);
    initial.cache = &cache;
    begin_implicit(initial, initial_team, 0);
    part = flow_part{&initial.implicit, &initial, 0, 1};
}

void forget_spare_contexts() noexcept { new (&spare()) spare_contexts; }

// A scheduler's own code is its OS thread's.
flow_part& part_of_stranger() noexcept {
    const worker* w = core::this_worker_or_null();
    work_unit* u = w == nullptr ? nullptr : w->current;
    if (u == nullptr || w->here == nullptr || u == w->here->self_unit()) {
        return this_os_thread().part;
    }
    void* own = u->locals == nullptr ? nullptr : core::get_local(*u, key());
    return own != nullptr ? static_cast<stranger_context*>(own)->part : begin_stranger(*w, *u);
}

// Where a stream has a private pool beside the one that others steal from, the team is for the
// latter.
core::pool* pool_for_visits() noexcept {
    if (!core::can_suspend()) {
        return nullptr;
    }
    const worker& w = core::this_worker();
    core::pool* home = w.current->home;
    sched::stream* here = sched::this_stream();
    if (here != nullptr && home == here->pinned()) {
        home = &here->default_pool();
    }
    return home->takes_strangers() ? home : nullptr;
}

}  // namespace lazult::omp
