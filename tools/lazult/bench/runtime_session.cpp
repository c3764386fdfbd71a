// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/runtime_session.hpp"

#include <string>

#include "lazult/sched/sched.hpp"
#include "tools/lazult/failure.hpp"

namespace lazult::tool {

void runtime_session::want(const base::settings& wanted) {
    if (running_ == wanted) {
        return;
    }
    stop();
    std::string problem;
    if (base::override_settings(wanted, &problem) != base::status::ok) {
        throw std::runtime_error(problem);
    }
    if (const base::status bad = sched::start_runtime(); bad != base::status::ok) {
        throw failure("runtime",
                      "it cannot start " + std::to_string(wanted.streams) + " streams (" +
                          base::name(bad) + ")",
                      "lower --streams, or raise the limits on threads and memory");
    }
    running_ = wanted;
}

void runtime_session::stop() noexcept {
    if (running_) {
        sched::stop_runtime(false);
        running_.reset();
    }
}

}  // namespace lazult::tool
