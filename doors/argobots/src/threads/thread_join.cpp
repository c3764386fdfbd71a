// SPDX-License-Identifier: BSD-3-Clause
// Waiting for ends, freeing, cancelling, exiting.
#include "threads/thread_join.hpp"

#include <algorithm>

#include "sync/waiting.hpp"
#include "threads/quick.hpp"
#include "threads/thread_record.hpp"

namespace lazult::abt {
namespace {

// Units that nobody may wait for.
bool has_an_end(const work_unit& u) noexcept {
    const std::uint16_t bits = bits_of(u);
    return (bits & abt_named) != 0 && (bits & (abt_primary | abt_main_scheduler)) == 0;
}

// nullptr unless the caller may wait for it.
work_unit* checked_child(ABT_thread handle) noexcept {
    work_unit* u = checked_thread(handle);
    const worker* w = core::this_worker_or_null();
    return u != nullptr && has_an_end(*u) && (w == nullptr || w->current != u) ? u : nullptr;
}

// Another joiner has the unit's join word: looks again and again.
void wait_beside_another(const work_unit& u) {
    while (!u.join.is_finished()) {
        core::yield();
        os::yield_thread();
    }
}

LAZULT_NOINLINE void wait_slowly(work_unit& u) {
    const caller me = who();
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_THREAD_JOIN, &u);
    if (core::join(me.w, &u) == base::status::already_joined) {
        wait_beside_another(u);
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

void wait_for_end(work_unit& u) {
    if (u.state() == core::life_state::finished && u.join.is_finished()) {
        probe::acquire(&u);
        return;
    }
    wait_slowly(u);
}

namespace {

// The caller's own pool, where the unit is the next one there. Else nullptr.
LAZULT_ALWAYS_INLINE core::pool* own_pool_before(const worker* w, const work_unit* child) noexcept {
    core::pool* const own = w == nullptr || child == nullptr ? nullptr : w->fast_pool;
    return own != nullptr && own->is_next(child) ? own : nullptr;
}

// Whether the caller is at home in another pool than the one that is its stream's own.
LAZULT_ALWAYS_INLINE bool is_away_from_own_pool(const worker* w) noexcept {
    return w != nullptr && w->current != nullptr && w->current->home != w->fast_pool;
}

template <core::afterwards what>
LAZULT_ALWAYS_INLINE bool run_beside(ABT_thread handle) {
    auto* const child = reinterpret_cast<work_unit*>(handle);
    worker* const w = quick::simple_caller();
    core::pool* const own = own_pool_before(w, child);
    if (own == nullptr || !is_away_from_own_pool(w) || !quick::can_be_awaited(*child)) {
        return false;
    }
    // The child may leave the own pool, and its schedulers need not be the joiner's. A tasklet does
    // not leave: it does not wait.
    const blocked_scope counted(is_tasklet(*child) ? caller{} : who());
    return core::run_next_in_place<what>(*w, *own, child);
}

}  // namespace

bool quick::join_next(ABT_thread handle) {
    auto* const child = reinterpret_cast<work_unit*>(handle);
    worker* const w = simple_caller();
    const core::pool* const own = own_pool_before(w, child);
    return own != nullptr && may_wait(w->current, *child, own) &&
           core::join(w, child) == base::status::ok;
}

bool quick::run_next_beside(ABT_thread handle) {
    return run_beside<core::afterwards::kept>(handle);
}
bool quick::run_next_beside_and_free(ABT_thread handle) {
    return run_beside<core::afterwards::freed>(handle);
}

namespace {

// Joins it if it is the next unit of the caller's own pool, and frees it if it has ended.
LAZULT_ALWAYS_INLINE bool join_and_free(ABT_thread handle) {
    quick::join_next(handle);
    return is_initialized() && quick::free_ended(quick::simple_caller(), handle);
}

}  // namespace

int free_slowly(ABT_thread* handle, ABT_thread null, int otherwise, const char* function) {
    if ((is_away_from_own_pool(core::this_worker_or_null()) &&
         quick::run_next_beside_and_free(*handle)) ||
        join_and_free(*handle)) LAZULT_LIKELY {
        *handle = as_null(null);
        return ABT_SUCCESS;
    }
    const int code = is_initialized() ? free_thread(*handle, otherwise) : ABT_ERR_UNINITIALIZED;
    if (code != ABT_SUCCESS) {
        return refuse(code, function);
    }
    *handle = as_null(null);
    return ABT_SUCCESS;
}

int join_thread(ABT_thread handle, int otherwise) {
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

int free_thread(ABT_thread handle, int otherwise) {
    const int code = join_thread(handle, otherwise);
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

int cancel_thread(ABT_thread handle, int otherwise) noexcept {
    work_unit* u = checked_thread(handle);
    if (u == nullptr || has_bit(*u, abt_primary)) {
        return otherwise;
    }
    return core::cancel(*u) == base::status::ok ? ABT_SUCCESS : otherwise;
}

}  // namespace lazult::abt

using namespace lazult::abt;

namespace {

int exit_caller(const char* function) {
    const caller me = who();
    if (me.is_outside()) {
        return refuse(ABT_ERR_INV_XSTREAM, function);
    }
    if (!me.is_ult() || has_bit(*me.unit, abt_primary)) {
        return refuse(ABT_ERR_INV_THREAD, function);
    }
    core::exit_running();
}

// Joining many takes one switch, and not one for each; the others one after another.
bool are_simple(int count, const ABT_thread* list) noexcept {
    return who().is_ult() && !tools_are_on() && std::none_of(list, list + count, [](ABT_thread t) {
               return checked_child(t) == nullptr;
           });
}

// Frees them in the order of the list as far as they have ended, and can be freed quickly. How
// many. What a unit owned may suspend the caller when it is destroyed, so the worker is looked up
// for each.
LAZULT_ALWAYS_INLINE int free_ended_ones(int count, ABT_thread* list) noexcept {
    const ABT_thread null = as_null(ABT_THREAD_NULL);
    int done = 0;
    while (done < count && quick::free_ended(quick::simple_caller(), list[done])) {
        list[done] = null;
        ++done;
    }
    return done;
}

LAZULT_NOINLINE void join_rest(int count, const ABT_thread* list) {
    if (count > 1 && are_simple(count, list)) {
        const blocked_scope scope(who());
        core::join_many(reinterpret_cast<work_unit* const*>(list), static_cast<std::size_t>(count));
    }
    for (int i = 0; i < count; ++i) {
        join_thread(list[i], ABT_ERR_INV_THREAD);
    }
}

}  // namespace

extern "C" {

int ABT_thread_join(ABT_thread thread) {
    if (quick::join(thread)) LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    const int code = join_thread(thread, ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    return ABT_SUCCESS;
}

// Those that are next in line in the order of the list run in place; the rest is waited for at
// once.
int ABT_thread_join_many(int num_threads, ABT_thread* thread_list) {
    int begun = 0;
    while (begun < num_threads && (quick::run_in_place(thread_list[begun]) ||
                                   quick::run_next_beside(thread_list[begun]))) {
        ++begun;
    }
    join_rest(num_threads - begun, thread_list + begun);
    return ABT_SUCCESS;
}

LAZULT_HOT int ABT_thread_free(ABT_thread* thread) {
    if (quick::run_and_free(*thread)) LAZULT_LIKELY {
        *thread = as_null(ABT_THREAD_NULL);
        return ABT_SUCCESS;
    }
    return free_slowly(thread, ABT_THREAD_NULL, ABT_ERR_INV_THREAD, "ABT_thread_free");
}

int ABT_thread_free_many(int num_threads, ABT_thread* thread_list) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    int done = free_ended_ones(num_threads, thread_list);
    while (done < num_threads) {
        if (quick::run_and_free(thread_list[done]) ||
            quick::run_next_beside_and_free(thread_list[done]) ||
            free_thread(thread_list[done], ABT_ERR_INV_THREAD) == ABT_SUCCESS) {
            thread_list[done] = as_null(ABT_THREAD_NULL);
        }
        ++done;
        done += free_ended_ones(num_threads - done, thread_list + done);
    }
    return ABT_SUCCESS;
}

int ABT_thread_cancel(ABT_thread thread) {
    const int code = cancel_thread(thread, ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    return ABT_SUCCESS;
}

int ABT_thread_exit(void) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    return exit_caller(__func__);
}

int ABT_self_exit(void) { return exit_caller(__func__); }
}
