// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/task_group.hpp>

#include <cxxabi.h>

#include <mutex>
#include <utility>

#include "lazult/api/group_state.hpp"
#include "lazult/api/opaque.hpp"

namespace lazult::api {
namespace {

work_unit* next_from_elsewhere(group_state& state) noexcept {
    if (state.added.load(std::memory_order_relaxed) == 0) LAZULT_LIKELY {
        return nullptr;
    }
    const std::lock_guard hold(state.lock);
    work_unit* const u = state.others.pop();
    state.added.store(state.others.size(), std::memory_order_relaxed);
    return u;
}

// Runs a task to its end and frees it, if it is the newest unit of the caller's lane. Else does
// nothing and returns false.
LAZULT_ALWAYS_INLINE bool runs_here(const group_state& state, work_unit* u) {
    worker* const w = core::this_worker_or_null();
    return state.where == nullptr && w != nullptr && core::is_newest_here(*w, u) &&
           core::run_newest_in_place<core::afterwards::freed>(*w, u);
}

work_unit* next_task(group_state& state) noexcept {
    work_unit* const u = state.mine.pop();
    return u != nullptr ? u : next_from_elsewhere(state);
}

// Puts back a task that next_task() has returned.
void list_again(group_state& state, work_unit* u) noexcept {
    state.mine.push_into_room(u);  // there is room: u came from this list, or this list is empty
}

// Joins and frees all tasks, the newest first, because that is the next one that a work-stealing
// pool would give to this stream, so the join runs it in place.
base::status join_all(group_state& state, core::cancelable how) {
    drop_kept(state);
    for (;;) {
        work_unit* const u = next_task(state);
        if (u == nullptr) {
            return base::status::ok;
        }
        if (runs_here(state, u)) LAZULT_LIKELY {
            continue;
        }
        if (const base::status s =
                state.where == nullptr ? core::join(u, how) : join_placed(u, how);
            s != base::status::ok) LAZULT_UNLIKELY {
            list_again(state, u);
            return s;
        }
        free_unit(core::this_worker_or_null(), u);
    }
}

// A task that is off its group's list while the caller waits for it. The destructor puts the task
// back if the wait fails or throws.
class awaited_task {
public:
    explicit awaited_task(group_state& state) noexcept : state_(state), task_(next_task(state)) {}
    awaited_task(const awaited_task&) = delete;
    awaited_task& operator=(const awaited_task&) = delete;
    ~awaited_task() {
        if (task_ != nullptr) {
            list_again(state_, task_);
        }
    }
    work_unit* get() const noexcept { return task_; }
    work_unit* take() noexcept { return std::exchange(task_, nullptr); }

private:
    group_state& state_;
    work_unit* task_;
};

base::status join_all_until(group_state& state, const sync::wait_limit& limit) {
    drop_kept(state);
    for (;;) {
        awaited_task next(state);
        if (next.get() == nullptr) {
            return base::status::ok;
        }
        if (const base::status s = sync::join_until(next.get(), limit); s != base::status::ok) {
            return s;
        }
        free_unit(core::this_worker_or_null(), next.take());
    }
}

LAZULT_COLD std::exception_ptr renew(task_group& g) noexcept {
    group_state& state = access::state(g);
    access::scope(g).stopped.store(false, std::memory_order_relaxed);
    state.has_failure.store(false, std::memory_order_relaxed);
    state.stop = std::stop_source(std::nostopstate);
    return std::exchange(state.failure, nullptr);
}

// Makes the group as new and rethrows a task's exception. Precondition: all tasks have ended.
void end_round(task_group& g) {
    if (g.is_canceled()) LAZULT_UNLIKELY {
        unwind_if_canceled();
        if (std::exception_ptr failure = renew(g); failure != nullptr) {
            std::rethrow_exception(std::move(failure));
        }
    }
}

}  // namespace

}  // namespace lazult::api

namespace lazult {

using api::access;

task_group::task_group() {
    const api::creation_context at = api::creation_context::find();
    api::group_state& state = access::construct(*this, at.defaults->task.standard());
    state.owner = api::this_creator(*at.w);
}

task_group::task_group(const thread_attributes& how) {
    if (!how.stack.empty() || how.name != nullptr || how.child_first) {
        api::refuse(
            base::status::invalid_argument, api::task_group_object,
            "its attributes hold a stack, a name or child_first, which are for single threads",
            "create lazult::thread objects with them");
    }
    const api::creation_context at = api::creation_context::find();
    api::group_state& state =
        access::construct(*this, api::translate(how, at.defaults->task, api::task_group_object));
    state.owner = api::this_creator(*at.w);
    state.where = how.where == nullptr ? nullptr : &api::home_of(how, at);
}

task_group::~task_group() {
    api::group_state& state = access::state(*this);
    if (!state.mine.empty() || state.added.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
        const core::cancellation_mask here;
        cancel();
        if (api::join_all(state, core::cancelable::no) != base::status::ok) {
            base::fatal_misuse(api::task_group_object,
                               "it is destroyed where it cannot wait for its tasks",
                               "wait() for them, and use it in ULTs and not in tasklets");
        }
    }
    api::drop_kept(state);
    std::destroy_at(&state);
}

void task_group::wait() {
    const auto join_all = [this] {
        return api::join_all(access::state(*this), core::cancelable::yes);
    };
    api::require(api::wait_to_its_end(join_all), api::task_group_object);
    api::end_round(*this);
}

bool task_group::wait(std::stop_token stop) {
    const auto join_all = [this](const sync::wait_limit& limit) {
        return api::join_all_until(api::access::state(*this), limit);
    };
    if (!api::in_time(api::wait_cancelable(detail::no_deadline, &stop, join_all),
                      api::task_group_object)) {
        return false;
    }
    api::end_round(*this);
    return true;
}

void task_group::cancel() noexcept {
    scope_.stopped.store(true, std::memory_order_relaxed);
    api::group_state& state = access::state(*this);
    std::stop_source stop(std::nostopstate);
    {
        const std::lock_guard hold(state.lock);
        stop = state.stop;
    }
    stop.request_stop();  // not under the lock, because it runs callbacks
}

namespace detail {

void task_threw(task_scope& scope) {
    task_group& group = api::access::group_of(scope);
    try {
        throw;
    } catch (const core::exit_unwind& exit) {
        if (exit.ends_waits()) {
            // The task was cancelled together with the group's owner. Cancels the group, so that
            // wait() does not seem to have succeeded.
            group.cancel();
        }
        throw;
    } catch (const abi::__forced_unwind&) {  // pthread_exit()
        throw;
    } catch (...) {
        api::group_state& state = api::access::state(group);
        // relaxed: the owner reads `failure` after it has joined this task
        if (!state.has_failure.exchange(true, std::memory_order_relaxed)) {
            state.failure = std::current_exception();
        }
        group.cancel();
    }
}

}  // namespace detail
}  // namespace lazult
