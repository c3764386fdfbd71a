// SPDX-License-Identifier: BSD-3-Clause
// What a task group holds: its attributes, its tasks, and how they end.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <stop_token>
#include <string_view>
#include <utility>

#include <lazult/task_group.hpp>

#include "lazult/api/spin_lock.hpp"
#include "lazult/api/task_list.hpp"
#include "lazult/api/unit.hpp"

namespace lazult::api {

inline constexpr std::string_view task_group_object = "task group";

// The caller, as a creator of tasks: the running unit, or the OS thread if no unit runs.
inline const void* this_creator(const worker& w) noexcept {
    return w.current != nullptr ? static_cast<const void*>(w.current) : &w;
}

// field       written by                     read by     order
// how, where, may_start_at_once, is_unobserved
//             the constructor                creators    none needed; a null `where` is the
//                                                        creator's own pool
// owner       the constructor                creators    none needed
// mine, many_wait
//             the owner                      the owner   none needed
// kept        the owner, or the thread that   the same    none needed. It is the unit of a task
// that
//                                                        has ended; the next task that
//             waits for or destroys the group            starts at once uses it
// others      everybody else, under lock     the owner   the lock's
// added       anybody, under lock            anybody     relaxed: the length of `others`. A reader
//                                                        without the lock may see an old length,
//                                                        but not after all tasks have ended
// failure     the first task that threw      the owner   the task's end and its join
// stop        get_stop_token, under lock     cancel      the lock's
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
    bool many_wait = false;    // when the owner looked through `mine`
    const bool is_unobserved;  // none of the tasks is counted apart or traced
};

// Frees tasks that have ended, which are linked by work_unit::next. Destructors of what they own
// may suspend the caller. So the caller may be on another stream afterwards.
void free_finished(work_unit* tasks) noexcept;
// The stop token of a task's group.
std::stop_token group_stop_token(detail::task_scope& scope);

// Called by the group's owner, which may be on another stream afterwards. Returns false when
// memory is exhausted.
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
