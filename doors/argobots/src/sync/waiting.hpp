// SPDX-License-Identifier: BSD-3-Clause
// The scope of a unit's wait: the unit counts as blocked in its pool, and tools can learn what the
// unit waits for.
#pragma once

#include "pools/pool.hpp"
#include "units/tool.hpp"

namespace lazult::abt {

// Counts the caller as blocked in its pool while the object lives, so that the pool's schedulers do
// not end. The count goes down only when the caller runs again. A scheduler therefore reads the
// count first and the pool second: then it sees the caller in one of them. Used on slow paths only.
class blocked_scope {
public:
    explicit blocked_scope(const caller& me) noexcept
        : home_(me.is_ult() ? me.unit->home : nullptr) {
        if (home_ != nullptr) {
            count(1, me.w);
        }
    }
    blocked_scope(const blocked_scope&) = delete;
    blocked_scope& operator=(const blocked_scope&) = delete;
    ~blocked_scope() {
        if (home_ != nullptr) {
            count(-1, core::this_worker_or_null());
        }
    }

private:
    void count(int change, const worker* w) noexcept {
        part_of(*home_).blocked.add(change, home_->is_private_to(w));
    }

    core::pool* home_;
};

// Both scopes of a wait: the caller counts as blocked, and tools can learn the reason.
class waiting {
public:
    waiting(const caller& me, ABT_sync_event_type why, const void* object) noexcept
        : blocked_(me), reason_(me, why, object) {}

private:
    blocked_scope blocked_;
    tool::wait_reason reason_;
};

}  // namespace lazult::abt
