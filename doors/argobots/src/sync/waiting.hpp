// SPDX-License-Identifier: BSD-3-Clause
// What surrounds each wait of a unit: it counts as blocked in its pool, and tools learn what it
// waits for.
#pragma once

#include "pools/pool.hpp"
#include "units/tool.hpp"

namespace lazult::abt {

// While it lives, the caller counts as blocked in its pool, so that the pool's streams do not end.
// Around slow paths only. It ends when the caller runs again. So a scheduler that looks at the
// count first, and at the pool then, misses nobody.
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

class waiting {
public:
    waiting(const caller& me, ABT_sync_event_type why, const void* object) noexcept
        : blocked_(me), reason_(me, why, object) {}

private:
    blocked_scope blocked_;
    tool::wait_reason reason_;
};

}  // namespace lazult::abt
