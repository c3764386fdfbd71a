// SPDX-License-Identifier: BSD-3-Clause
// Starts a task of a group, in one of four ways:
//   start_in_kept_unit  The task is called at once, in the unit and on the stack of the task
//                       before, which has ended.
//   start_in_lane       The task becomes ready on its creator's stream, because the lane has too
//                       few units.
//   start_at_once       The task is called on a stack of its own, because the lane holds enough
//                       units: see core/life/at_once.hpp.
//   start_anywhere      Works for all tasks, such as those of a group that names a pool.
// The first three are for the group's owner. Functions that only choose among the ways make tail
// calls, so they need no stack frame.

#include <mutex>

#include "lazult/api/group_state.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::api {
namespace {

LAZULT_ALWAYS_INLINE work_unit* prepare_task(worker& w, core::pool& home, task_group& g,
                                             core::entry_function run) {
    work_unit* const u = prepare(w, home, run, access::state(g).how);
    new (u->storage) detail::task_scope*(&access::scope(g));
    return u;
}
work_unit* prepare_task_anywhere(task_group& g, core::entry_function run) {
    const creation_context at = creation_context::find();
    core::pool* const where = access::state(g).where;
    return prepare_task(*at.w, where == nullptr ? *at.home : *where, g, run);
}
// Prepares a task without a call. If it would need a call, does nothing and returns nullptr.
LAZULT_ALWAYS_INLINE work_unit* prepare_task_in_lane(core::pool& home, worker& w, task_group& g,
                                                     core::entry_function run) noexcept {
    work_unit* const u = prepare_at_once(w, home, run, access::state(g).how);
    if (u != nullptr) LAZULT_LIKELY {
        new (u->storage) detail::task_scope*(&access::scope(g));
    }
    return u;
}

LAZULT_COLD bool add_from_elsewhere(group_state& state, work_unit* u) noexcept {
    work_unit* finished = nullptr;
    bool has_room = false;
    {
        const std::lock_guard hold(state.lock);
        has_room = state.others.make_room([&](work_unit* tasks) { finished = tasks; });
        if (has_room) {
            state.others.push_into_room(u);
        }
        state.added.store(state.others.size(), std::memory_order_relaxed);
    }
    free_finished(finished);  // not under the lock, because destructors may suspend
    return has_room;
}

// These list a task that started at once and has suspended.
bool list_as_owner(void* group, work_unit* u) noexcept {
    static_cast<group_state*>(group)->mine.push_into_room(u);
    return true;
}
bool list_from_elsewhere(void* group, work_unit* u) noexcept {
    return add_from_elsewhere(*static_cast<group_state*>(group), u);
}
core::call_at_once::lister lister_of(bool is_owner) noexcept {
    return is_owner ? list_as_owner : list_from_elsewhere;
}

// If more tasks than this are listed, and many of them are suspended, they probably wait for their
// creator. A new task that starts takes a stack; one that does not start takes only its descriptor.
// So no task starts at once then. Tasks that are listed because they yielded end when their creator
// yields to them.
constexpr std::size_t most_listed = 512;
constexpr std::size_t many_waiting = most_listed / 2;

LAZULT_COLD void shorten_others(group_state& state) noexcept {
    work_unit* finished = nullptr;
    {
        const std::lock_guard hold(state.lock);
        state.others.shorten(most_listed, [&](work_unit* tasks) { finished = tasks; });
        state.added.store(state.others.size(), std::memory_order_relaxed);
    }
    free_finished(finished);  // not under the lock, because destructors may suspend
}
LAZULT_NOINLINE bool has_many_waiting(group_state& state) noexcept {
    const bool has_looked = state.mine.shorten(most_listed, free_finished);
    if (has_looked) LAZULT_UNLIKELY {
        state.many_wait = state.mine.count_blocked() > many_waiting;
    }
    return has_looked || (state.mine.size() > most_listed && state.many_wait);
}
// Returns true if so many tasks are listed that the next one must not start at once. Also returns
// true if it has freed tasks: then the caller may be on another stream, and its list may be full.
LAZULT_ALWAYS_INLINE bool has_many_listed(group_state& state, bool is_owner) noexcept {
    if (is_owner) {
        return state.mine.may_be_longer_than(most_listed) && has_many_waiting(state);
    }
    const bool has_many = state.added.load(std::memory_order_relaxed) > most_listed;
    if (has_many) LAZULT_UNLIKELY {
        shorten_others(state);
    }
    return has_many;
}

// Returns true if the caller's next task starts at once. Precondition: its home is the pool of the
// caller's lane, and the group's owner, if it is the caller, has made room in its list.
LAZULT_ALWAYS_INLINE bool starts_tasks_at_once(worker& w, group_state& state, bool is_owner) {
    return w.lane->holds_enough() && !has_many_listed(state, is_owner) && core::may_call_at_once(w);
}

// The next two functions launch a prepared unit. make_room() and the lister may move the caller to
// another stream, so they get the worker again afterwards. They return false if memory is
// exhausted; the unit is unchanged then.
bool launch_later(group_state& state, work_unit* u, bool is_owner) {
    const bool is_listed = (!is_owner || make_room(state)) && lister_of(is_owner)(&state, u);
    if (is_listed) LAZULT_LIKELY {
        core::launch_open(core::this_worker(), u);
    }
    return is_listed;
}
bool launch(task_group& g, work_unit* u) {
    group_state& state = access::state(g);
    const bool is_owner = this_creator(core::this_worker()) == state.owner;
    const bool has_room = !is_owner || make_room(state);
    worker& w = core::this_worker();
    const bool is_of_lane =
        state.where == nullptr && w.lane != nullptr && w.lane->is_open_for(u->home);
    if (has_room && is_of_lane && state.may_start_at_once && !core::has_requests(*u) &&
        starts_tasks_at_once(w, state, is_owner) &&
        core::call_new_unit(w, u, lister_of(is_owner), &state) != core::start_at_once::refused) {
        return true;
    }
    return launch_later(state, u, is_owner);
}

LAZULT_NOINLINE void start_anywhere(task_group& g, core::entry_function run, std::uint64_t first,
                                    std::uint64_t second) {
    work_unit* const u = prepare_task_anywhere(g, run);
    put_words(u, first, second);
    if (!launch(g, u)) LAZULT_UNLIKELY {
        discard(u);
        refuse(base::status::out_of_memory, task_group_object);
    }
}

LAZULT_NOINLINE void start_in_lane(task_group& g, core::entry_function run, std::uint64_t first,
                                   std::uint64_t second, core::pool& home, worker& w) {
    work_unit* const u = prepare_task_in_lane(home, w, g, run);
    if (u == nullptr) LAZULT_UNLIKELY {
        return start_anywhere(g, run, first, second);
    }
    put_words(u, first, second);
    access::state(g).mine.push_into_room(u);
    launch_in_lane(w, u);
}

// Precondition: the caller owns the group, the group's list has room, and the lane of the caller's
// stream is open. Returns false if it has started no task.
LAZULT_ALWAYS_INLINE bool try_at_once(task_group& g, core::entry_function run, std::uint64_t first,
                                      std::uint64_t second, core::pool& home, worker& w) {
    group_state& state = access::state(g);
    if (!state.may_start_at_once || !state.is_unobserved || !starts_tasks_at_once(w, state, true))
        LAZULT_UNLIKELY {
        return false;
    }
    drop_kept(state);
    work_unit* const u = prepare_task(w, home, g, run);
    put_words(u, first, second);
    if (core::call_new_unit(w, u, list_as_owner, &state, &state.kept) ==
        core::start_at_once::refused) LAZULT_UNLIKELY {
        discard(u);
        return false;
    }
    return true;
}
LAZULT_NOINLINE void start_at_once(task_group& g, core::entry_function run, std::uint64_t first,
                                   std::uint64_t second, core::pool& home, worker& w) {
    if (!try_at_once(g, run, first, second, home, w)) LAZULT_UNLIKELY {
        start_anywhere(g, run, first, second);
    }
}
LAZULT_NOINLINE bool try_from_frame_at_once(task_group& g, core::entry_function run, void* closure,
                                            core::pool& home, worker& w) {
    return try_at_once(g, run, reinterpret_cast<std::uintptr_t>(closure), 0, home, w);
}

// Returns true if the next task can start at once in the unit that the group keeps. A group that
// keeps a unit names no pool, its tasks may start at once and are not traced, and its owner may
// suspend; so these conditions need no check.
LAZULT_ALWAYS_INLINE bool may_call_kept(worker& w, group_state& state,
                                        core::entry_function run) noexcept {
    const work_unit* const kept = state.kept;
    return kept->entry == run && w.lane != nullptr && w.lane->is_open_for(kept->home) &&
           state.mine.has_room() && starts_tasks_at_once(w, state, true);
}
// Called by the owner. Returns false if it has started no task.
LAZULT_ALWAYS_INLINE bool try_kept(task_group& g, core::entry_function run, std::uint64_t first,
                                   std::uint64_t second, worker& w) {
    group_state& state = access::state(g);
    if (!may_call_kept(w, state, run)) LAZULT_UNLIKELY {
        return false;
    }
    work_unit* const kept = std::exchange(state.kept, nullptr);
    kept->clear_words();  // a thread may have used an old handle of this unit meanwhile
    put_words(kept, first, second);
    core::call_new_unit_on(w, kept, kept->stk, list_as_owner, &state, &state.kept);
    return true;
}

// Called by the owner.
void start_in_new_unit(task_group& g, core::entry_function run, std::uint64_t first,
                       std::uint64_t second);
LAZULT_NOINLINE void start_after_making_room(task_group& g, core::entry_function run,
                                             std::uint64_t first, std::uint64_t second) {
    const bool has_room = make_room(access::state(g));
    return has_room ? start_in_new_unit(g, run, first, second)
                    : start_anywhere(g, run, first, second);
}
LAZULT_ALWAYS_INLINE bool is_of_lane(const creation_context& at,
                                     const group_state& state) noexcept {
    return at.is_known() && state.where == nullptr && at.w->lane != nullptr &&
           at.w->lane->is_open_for(at.home);
}
LAZULT_NOINLINE void start_in_new_unit(task_group& g, core::entry_function run, std::uint64_t first,
                                       std::uint64_t second) {
    const creation_context at = creation_context::here();
    const group_state& state = access::state(g);
    if (!is_of_lane(at, state)) LAZULT_UNLIKELY {
        return start_anywhere(g, run, first, second);
    }
    if (!state.mine.has_room()) LAZULT_UNLIKELY {
        return start_after_making_room(g, run, first, second);
    }
    if (at.w->lane->has_room_and_wants_more()) LAZULT_LIKELY {
        return start_in_lane(g, run, first, second, *at.home, *at.w);
    }
    return start_at_once(g, run, first, second, *at.home, *at.w);
}
LAZULT_NOINLINE void start_in_kept_unit(task_group& g, core::entry_function run,
                                        std::uint64_t first, std::uint64_t second, worker& w) {
    if (!try_kept(g, run, first, second, w)) LAZULT_UNLIKELY {
        start_in_new_unit(g, run, first, second);
    }
}

// Called by the owner. Returns false if it has started no task; if the list has no room,
// start_task() makes room.
LAZULT_NOINLINE bool try_from_frame(task_group& g, core::entry_function run, void* closure) {
    const creation_context at = creation_context::here();
    const group_state& state = access::state(g);
    if (!is_of_lane(at, state) || at.w->lane->has_room_and_wants_more() || !state.mine.has_room()) {
        return false;
    }
    return try_from_frame_at_once(g, run, closure, *at.home, *at.w);
}
LAZULT_NOINLINE bool try_from_frame_in_kept(task_group& g, core::entry_function run, void* closure,
                                            worker& w) {
    return try_kept(g, run, reinterpret_cast<std::uintptr_t>(closure), 0, w) ||
           try_from_frame(g, run, closure);
}

// Returns the caller's worker if the caller is the group's owner, else null.
LAZULT_ALWAYS_INLINE worker* worker_of_owner(const group_state& state) noexcept {
    worker* const w = core::this_worker_or_null();
    return w != nullptr && this_creator(*w) == state.owner ? w : nullptr;
}

}  // namespace
}  // namespace lazult::api

namespace lazult::detail {

void start_task(task_group& group, entry_function run, std::uint64_t first, std::uint64_t second) {
    const api::group_state& state = api::access::state(group);
    core::worker* const w = api::worker_of_owner(state);
    if (w == nullptr) LAZULT_UNLIKELY {
        return api::start_anywhere(group, run, first, second);
    }
    if (state.kept != nullptr) LAZULT_UNLIKELY {
        return api::start_in_kept_unit(group, run, first, second, *w);
    }
    return api::start_in_new_unit(group, run, first, second);
}

bool start_task_from_frame(task_group& group, entry_function run, void* closure) {
    const api::group_state& state = api::access::state(group);
    core::worker* const w = api::worker_of_owner(state);
    if (w == nullptr) LAZULT_UNLIKELY {
        return false;
    }
    return state.kept != nullptr ? api::try_from_frame_in_kept(group, run, closure, *w)
                                 : api::try_from_frame(group, run, closure);
}

task_storage prepare_task(task_group& group, entry_function run) {
    core::work_unit* const u = api::prepare_task_anywhere(group, run);
    return {api::to_handle(u), u->argument};
}

void launch_task(task_group& group, unit* u) {
    if (!api::launch(group, api::to_unit(u))) LAZULT_UNLIKELY {
        api::refuse(base::status::out_of_memory, api::task_group_object);
    }
}

void discard_task(unit* u) noexcept { api::discard(api::to_unit(u)); }

}  // namespace lazult::detail
