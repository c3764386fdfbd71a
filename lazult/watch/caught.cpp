// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/caught.hpp"

#include <algorithm>

namespace lazult::watch {

std::size_t caught_streams::count() {
    running_.look();
    const auto is_caught = [&](const stretch& each) {
        return each.unit != nullptr && running_.now() - each.since >= limit_ns_ &&
               os::waits_in_kernel(each.system_thread);
    };
    return static_cast<std::size_t>(
        std::count_if(running_.all().begin(), running_.all().end(), is_caught));
}

}  // namespace lazult::watch
