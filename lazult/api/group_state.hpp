// SPDX-License-Identifier: BSD-3-Clause
// The state of a task group: its attributes, its tasks, and how they end.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <stop_token>
#include <string_view>
#include <utility>

#include "lazult/api/spin_lock.hpp"
#include "lazult/api/task_list.hpp"
#include "lazult/api/unit.hpp"

namespace lazult::api {

inline constexpr std::string_view task_group_object = "task group";

// Returns an identity of the caller as a creator of tasks: the running unit, or else the worker of
// the OS thread.
inline const void* this_creator(const worker& w) noexcept {
    return w.current != nullptr ? static_cast<const void*>(w.current) : &w;
}

// field       written by                    read by    order
// how, where, may_start_at_once, is_unobserved
//             the constructor               creators   none needed. A null `where` means the
//                                                      creator's own pool
// owner       the constructor               creators   none needed
// mine, many_wait
//             the owner                     the owner  none needed
// kept        the owner, or the thread that waits for or destroys the group
//                                           the same   none needed. It is the unit of a task that
//                                                      has ended; the next task that starts at
//                                                      once uses it
// others      other threads, under lock     the owner  the lock's
// added       any thread, under lock        any thread relaxed: the length of `others`. A reader
//                                                      without the lock may see an old length, but
//                                                      not after all tasks have ended
// failure     the first task that threw     the owner  the task's end and its join
// stop        get_stop_token, under lock    cancel     the lock's
struct group_state {
    explicit group_state(const core::unit_attributes& attributes) noexcept
        : how(attributes),
          may_start_at_once(core::may_be_called_at_once(attributes.header())),
          is_unobserved(attributes.what() == attributes.usual_kind()) {}

    core::unit_attributes how;
    core::pool* where = nullptr;
    const void* owner = nullptr;
    task_list mine;
    work_unit* kept = nullptr;
    task_list others;
    ds::default_atomics::atomic<std::size_t> added{0};
    std::exception_ptr failure;
    std::stop_source stop{std::nostopstate};
    spin_lock lock;
    ds::default_atomics::atomic<bool> has_failure{false};
    const bool may_start_at_once;
    bool many_wait = false;    // what the owner found when it last looked through `mine`
    const bool is_unobserved;  // no task is traced, or counted by its technique
};

// Frees tasks that have ended, which are linked by work_unit::next. Destructors of objects that
// they own may suspend the caller, so the caller may be on another stream afterwards.
void free_finished(work_unit* tasks) noexcept;
// Returns the stop token of the tasks of a group.
std::stop_token group_stop_token(detail::task_scope& scope);

// Makes room for one task in `mine`. Called by the group's owner, which may be on another stream
// afterwards. Returns false when memory is exhausted.
LAZULT_ALWAYS_INLINE bool make_room(group_state& state) noexcept {
    return state.mine.make_room(free_finished);
}

LAZULT_ALWAYS_INLINE void drop_kept(group_state& state) noexcept {
    if (state.kept != nullptr) {
        core::drop_kept_unit(core::this_worker_or_null(), std::exchange(state.kept, nullptr));
    }
}

}  // namespace lazult::api

namespace lazult::detail {

struct task_group_access {
    static api::group_state& state(task_group& g) noexcept {
        static_assert(sizeof(api::group_state) <= sizeof(g.state_) &&
                      alignof(api::group_state) <= 8);
        return *std::launder(reinterpret_cast<api::group_state*>(g.state_));
    }
    static task_scope& scope(task_group& g) noexcept { return g.scope_; }
    static api::group_state& construct(task_group& g, const core::unit_attributes& how) {
        return *new (g.state_) api::group_state(how);
    }
    static task_group& group_of(task_scope& scope) noexcept {
        return *reinterpret_cast<task_group*>(&scope);  // its first member
    }
};

}  // namespace lazult::detail

namespace lazult::api {
using access = detail::task_group_access;
}  // namespace lazult::api
