// SPDX-License-Identifier: BSD-3-Clause
// An OpenMP thread's tasks that nobody has started: those that it created, and those that it took
// from other threads. See basic_task_queue.hpp.
#pragma once

#include "tasks/basic_task_queue.hpp"
#include "tasks/task.hpp"

namespace lazult::omp {

class landing;
class task_queue;

struct task_kind {
    using task = omp::task;
    using landing = omp::landing;
    using atomics = ds::default_atomics;
    using lock = spin_lock;
    static constexpr std::size_t room = ds::deque<task>::default_capacity;
    static constexpr int patience =
        64;  // looks whether the owner has answered: about as long as helping oneself costs
    static void tell_sleepers(team& all) noexcept;
    static basic_task_queue<task_kind>& home(const task& t) noexcept;
};

extern template class basic_task_queue<task_kind>;

class task_queue : public basic_task_queue<task_kind> {};

}  // namespace lazult::omp
