// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/future.hpp>
#include <lazult/parallel.hpp>

#include <cxxabi.h>

#include <algorithm>

#include "lazult/api/unit.hpp"

namespace lazult::detail {

std::exception_ptr caught_by_job() {
    try {
        throw;
    } catch (const core::exit_unwind&) {
        throw;
    } catch (const abi::__forced_unwind&) {  // pthread_exit()
        throw;
    } catch (...) {
        return std::current_exception();
    }
}

closure_storage prepare_job(const thread_attributes* how, entry_function run) {
    const api::creation_context at = api::creation_context::find();
    if (how == nullptr) {
        core::work_unit* u = api::prepare(*at.w, *at.home, run, at.defaults->job.standard());
        return {api::to_handle(u), u->argument};
    }
    if (!how->stack.empty() || how->name != nullptr) {
        api::refuse(base::status::invalid_argument, "asynchronous call",
                    "its attributes hold a stack or a name, which are for threads",
                    "create a lazult::thread with them");
    }
    core::work_unit* u = api::prepare(*at.w, api::home_of(*how, at), run,
                                      api::translate(*how, at.defaults->job, "asynchronous call"));
    return {api::to_handle(u), u->argument};
}

void launch_job(unit* handle, bool child_first) {
    core::work_unit* u = api::to_unit(handle);
    core::join_word<>::value found;
    u->join.try_detach(&found);
    if (child_first) {
        core::launch_child_first(u);
    } else {
        core::launch_open(core::this_worker(), u);
    }
}

void discard_job(unit* u) noexcept { api::discard(api::to_unit(u)); }

std::size_t concurrency() {
    api::creation_context::find();
    return static_cast<std::size_t>(std::max(1, sched::stream_count()));
}

}  // namespace lazult::detail
