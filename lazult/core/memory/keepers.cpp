// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/memory/keepers.hpp"

#include <mutex>

#include "lazult/base/base.hpp"

namespace lazult::core {
namespace {

// field   written by   read by    order
// known   add_keeper   keepers()  the lock
constinit std::mutex lock;
constinit keeper_list known;

[[gnu::constructor]] void hold_keepers_lock() {
    base::hold_across_fork(base::fork_lock::keepers, lock);
}

}  // namespace

void add_keeper(keeper k) noexcept {
    const std::lock_guard hold(lock);
    if (known.count != known.all.size()) {
        known.all[known.count++] = k;
    }
}

keeper_list keepers() noexcept {
    const std::lock_guard hold(lock);
    return known;
}

}  // namespace lazult::core
