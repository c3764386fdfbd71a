// SPDX-License-Identifier: BSD-3-Clause
// How reports name OS threads, and tell units from schedulers.
#pragma once

#include <atomic>
#include <cstdio>

#include "lazult/core/core.hpp"

namespace lazult::watch {

// The name of an OS thread: "stream 3", or "thread 7" if the thread never was a stream.
struct worker_name {
    char text[32];
    explicit worker_name(const core::worker& w) noexcept {
        const int rank = std::atomic_ref(const_cast<int&>(w.rank)).load(std::memory_order_relaxed);
        std::snprintf(text, sizeof text, rank < 0 ? "thread %d" : "stream %d",
                      rank < 0 ? w.index : rank);
    }
};

// Returns whether the unit is a scheduler's own code.
inline bool is_scheduler(const core::work_unit& u) noexcept {
    return u.has(core::flag_host) && u.has(core::flag_tasklet);
}

}  // namespace lazult::watch
