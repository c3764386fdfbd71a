// SPDX-License-Identifier: BSD-3-Clause
// What surrounds each wait of a unit: it counts as blocked in its pool, and tools learn what it waits for.
#pragma once

#include "door.hpp"
#include "tools/tool.hpp"

namespace lazult::abt {

class waiting {
public:
    waiting(const caller& who, ABT_sync_event_type why, const void* object) noexcept
        : blocked_(who), reason_(who, why, object) {}

private:
    blocked_scope blocked_;
    tool::wait_reason reason_;
};

}  // namespace lazult::abt
