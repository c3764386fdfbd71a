// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/task_queue.hpp"

#include "tasks/tasking.hpp"

namespace lazult::omp {

void task_kind::tell_sleepers(team& all) noexcept { notify_sleepers(all); }

basic_task_queue<task_kind>& task_kind::home(const task& t) noexcept { return t.parent->on->tasks; }

template class basic_task_queue<task_kind>;

}  // namespace lazult::omp
