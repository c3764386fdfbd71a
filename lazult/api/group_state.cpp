// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/group_state.hpp"

#include <mutex>

namespace lazult::api {

LAZULT_COLD void free_finished(work_unit* tasks) noexcept {
    for (work_unit* next = nullptr; tasks != nullptr; tasks = next) {
        next = tasks->next;
        probe::acquire(tasks);
        free_unit(core::this_worker_or_null(), tasks);
    }
}

std::stop_token group_stop_token(detail::task_scope& scope) {
    group_state& state = access::state(access::group_of(scope));
    const std::lock_guard hold(state.lock);
    if (!state.stop.stop_possible()) {
        state.stop = std::stop_source();
        if (scope.stopped.load(std::memory_order_relaxed)) {
            state.stop.request_stop();
        }
    }
    return state.stop.get_token();
}

}  // namespace lazult::api
