// SPDX-License-Identifier: BSD-3-Clause
// What reports ask of the OS threads and units that they name.
#pragma once

#include <atomic>
#include <cstdio>

#include "lazult/core/core.hpp"

namespace lazult::watch {

// "stream 3", or "thread 7" for one that never was a stream.
struct worker_name {
    char text[32];
    explicit worker_name(const core::worker& w) noexcept {
        const int rank = std::atomic_ref(const_cast<int&>(w.rank)).load(std::memory_order_relaxed);
        std::snprintf(text, sizeof text, rank < 0 ? "thread %d" : "stream %d",
                      rank < 0 ? w.index : rank);
    }
};

// Of a unit: whether it is a scheduler's own code.
inline bool is_scheduler(const core::work_unit& u) noexcept {
    return u.has(core::flag_host) && u.has(core::flag_tasklet);
}

}  // namespace lazult::watch
