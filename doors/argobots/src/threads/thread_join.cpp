// SPDX-License-Identifier: BSD-3-Clause
#include "threads/thread_join.hpp"

#include <algorithm>

#include "sync/waiting.hpp"

namespace lazult::abt {
namespace {

// Returns true if the unit may be joined: it has a name, and is neither the primary ULT nor the
// unit of a main scheduler.
bool has_an_end(const work_unit& u) noexcept {
    const std::uint16_t bits = bits_of(u);
    return (bits & abt_named) != 0 && (bits & (abt_primary | abt_main_scheduler)) == 0;
}

// Returns the unit, or nullptr if the caller may not wait for it.
work_unit* checked_child(ABT_thread handle) noexcept {
    work_unit* u = checked_thread(handle);
    const worker* w = core::this_worker_or_null();
    return u != nullptr && has_an_end(*u) && (w == nullptr || w->current != u) ? u : nullptr;
}

// Waits by polling, because another joiner has registered in the unit's join word.
void wait_beside_another(const work_unit& u) {
    while (!u.join.is_finished()) {
        core::yield();
        os::yield_thread();
    }
}

// Joins the unit. The caller suspends, or blocks its OS thread, until the unit has ended.
LAZULT_NOINLINE void wait_slowly(work_unit& u) {
    const caller me = this_caller();
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_THREAD_JOIN, &u);
    if (core::join(me.w, &u) == base::status::already_joined) {
        wait_beside_another(u);
    }
}

// Waits for the end of a unit that checked_child() returned.
void wait_for_end(work_unit& u) {
    if (u.state() == core::life_state::finished && u.join.is_finished()) {
        probe::acquire(&u);
        return;
    }
    wait_slowly(u);
}

// Returns the caller's own pool if the unit is the next one in it, else nullptr.
LAZULT_ALWAYS_INLINE core::pool* own_pool_before(const worker* w, const work_unit* child) noexcept {
    core::pool* const own = w == nullptr || child == nullptr ? nullptr : w->fast_pool;
    return own != nullptr && own->is_next(child) ? own : nullptr;
}

// Returns true if the caller's home is not its stream's own pool.
LAZULT_ALWAYS_INLINE bool is_away_from_own_pool(const worker* w) noexcept {
    return w != nullptr && w->current != nullptr && w->current->home != w->fast_pool;
}

// Calls the unit if it is the next one in the stream's own pool while the caller's home is another
// pool. The caller's home counts the caller as blocked during the call. run_in_place() is for
// callers in their own pool, and stays short because it does not test for other callers.
template <core::afterwards what>
LAZULT_ALWAYS_INLINE bool run_beside(ABT_thread handle) {
    auto* const child = reinterpret_cast<work_unit*>(handle);
    worker* const w = simple_caller();
    core::pool* const own = own_pool_before(w, child);
    if (own == nullptr || !is_away_from_own_pool(w) || !short_cut::can_be_awaited(*child)) {
        return false;
    }
    // The count keeps the schedulers of the joiner's home from ending. The child does not: its
    // pool may have other schedulers, and it may move to a third pool. A tasklet runs to its end
    // without waiting, so it needs no count.
    const blocked_scope counted(is_tasklet(*child) ? caller{} : this_caller());
    return core::run_next_in_place<what>(*w, *own, child);
}

LAZULT_NOINLINE bool run_next_beside(ABT_thread handle) {
    return run_beside<core::afterwards::kept>(handle);
}
LAZULT_NOINLINE bool run_next_beside_and_free(ABT_thread handle) {
    return run_beside<core::afterwards::freed>(handle);
}

// Frees a unit that has ended. `w` is the result of simple_caller(). Returns false, and does
// nothing, if the unit has not ended, or if `w` is null because the caller may not take the short
// cut.
LAZULT_ALWAYS_INLINE bool free_ended(worker* w, ABT_thread handle) noexcept {
    auto* const u = reinterpret_cast<work_unit*>(handle);
    if (w == nullptr || !core::is_descriptor(u) || u->state() != core::life_state::finished ||
        !short_cut::can_be_awaited(*u) || !u->join.is_finished()) LAZULT_UNLIKELY {
        return false;
    }
    probe::acquire(u);
    probe::release(u);  // pairs with: the thread that prepares it again
    core::dispose(*w, u);
    return true;
}

// Joins the unit if it is the next one in the caller's own pool. Frees it if it has ended then.
LAZULT_ALWAYS_INLINE bool join_and_free(ABT_thread handle) {
    short_cut::join_next(handle);
    return is_initialized() && free_ended(simple_caller(), handle);
}

int join_slowly_and_free(ABT_thread handle, int otherwise) {
    const int code = join_slowly(handle, otherwise);
    if (code != ABT_SUCCESS) {
        return code;
    }
    auto* u = reinterpret_cast<work_unit*>(handle);
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_FREE, *u);
    }
    free_unit(core::this_worker_or_null(), u);
    return ABT_SUCCESS;
}

// Returns true if core::join_many() may join the whole list, which saves switches.
// Otherwise the units are joined one after another.
bool are_simple(int count, const ABT_thread* list) noexcept {
    return this_caller().is_ult() && !tools_are_on() &&
           std::none_of(list, list + count,
                        [](ABT_thread t) { return checked_child(t) == nullptr; });
}

// Frees units from the start of the list for as long as free_ended() succeeds, and returns how
// many. A destructor of a unit's values may suspend the caller, so the worker is looked up each
// time.
LAZULT_ALWAYS_INLINE int free_ended_ones(int count, ABT_thread* list) noexcept {
    const ABT_thread null = as_null(ABT_THREAD_NULL);
    int done = 0;
    while (done < count && free_ended(simple_caller(), list[done])) {
        list[done] = null;
        ++done;
    }
    return done;
}

LAZULT_NOINLINE void join_rest(int count, const ABT_thread* list) {
    if (count > 1 && are_simple(count, list)) {
        const blocked_scope scope(this_caller());
        core::join_many(reinterpret_cast<work_unit* const*>(list), static_cast<std::size_t>(count));
    }
    for (int i = 0; i < count; ++i) {
        join_slowly(list[i], ABT_ERR_INV_THREAD);
    }
}

}  // namespace

bool has_ended(const work_unit& u) noexcept {
    if (u.state() != core::life_state::finished) {
        return false;
    }
    while (!u.join.is_finished()) {
        os::yield_thread();
    }
    return true;
}

bool short_cut::join_next(ABT_thread handle) {
    auto* const child = reinterpret_cast<work_unit*>(handle);
    worker* const w = simple_caller();
    const core::pool* const own = own_pool_before(w, child);
    return own != nullptr && may_wait(w->current, *child, own) &&
           core::join(w, child) == base::status::ok;
}

int free_slowly(ABT_thread* handle, ABT_thread null, int otherwise, const char* function) {
    if ((is_away_from_own_pool(core::this_worker_or_null()) && run_next_beside_and_free(*handle)) ||
        join_and_free(*handle)) LAZULT_LIKELY {
        *handle = as_null(null);
        return ABT_SUCCESS;
    }
    const int code =
        is_initialized() ? join_slowly_and_free(*handle, otherwise) : ABT_ERR_UNINITIALIZED;
    if (code != ABT_SUCCESS) {
        return refuse(code, function);
    }
    *handle = as_null(null);
    return ABT_SUCCESS;
}

int join_slowly(ABT_thread handle, int otherwise) {
    work_unit* u = checked_child(handle);
    if (u == nullptr) {
        return otherwise;
    }
    wait_for_end(*u);
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_JOIN, *u);
    }
    return ABT_SUCCESS;
}

int free_tasklet_elsewhere(ABT_task* handle) {
    if (short_cut::run_newest<core::afterwards::freed>(
            simple_caller(), reinterpret_cast<work_unit*>(*handle))) LAZULT_LIKELY {
        *handle = as_null(ABT_TASK_NULL);
        return ABT_SUCCESS;
    }
    return free_slowly(handle, ABT_TASK_NULL, ABT_ERR_INV_TASK, "ABT_task_free");
}

int join_many(int count, const ABT_thread* list) {
    int begun = 0;
    while (begun < count &&
           (short_cut::run_in_place(list[begun]) || run_next_beside(list[begun]))) {
        ++begun;
    }
    join_rest(count - begun, list + begun);
    return ABT_SUCCESS;
}

int free_many(int count, ABT_thread* list) {
    int done = free_ended_ones(count, list);
    while (done < count) {
        if (short_cut::run_in_place<core::afterwards::freed>(list[done]) ||
            run_next_beside_and_free(list[done]) ||
            join_slowly_and_free(list[done], ABT_ERR_INV_THREAD) == ABT_SUCCESS) {
            list[done] = as_null(ABT_THREAD_NULL);
        }
        ++done;
        done += free_ended_ones(count - done, list + done);
    }
    return ABT_SUCCESS;
}

int cancel_thread(ABT_thread handle, int otherwise) noexcept {
    work_unit* u = checked_thread(handle);
    if (u == nullptr || has_bit(*u, abt_primary)) {
        return otherwise;
    }
    return core::cancel(*u) == base::status::ok ? ABT_SUCCESS : otherwise;
}

}  // namespace lazult::abt
