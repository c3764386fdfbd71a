// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/caught.hpp"

namespace lazult::watch {

bool caught_streams::is_caught(const stretch& each) const noexcept {
    if (each.unit == nullptr) {
        return false;
    }
    const std::int64_t age_ns = running_.now() - each.since;
    return (computes_ns_ != 0 && age_ns >= computes_ns_) ||
           (blocks_ns_ != 0 && age_ns >= blocks_ns_ && os::waits_in_kernel(each.system_thread));
}

std::span<core::worker* const> caught_streams::look() {
    running_.look();
    found_.clear();
    for (const stretch& each : running_.all()) {
        if (is_caught(each)) {
            found_.push_back(each.where);
        }
    }
    return found_;
}

}  // namespace lazult::watch
