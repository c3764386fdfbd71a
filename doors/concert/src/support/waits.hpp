// SPDX-License-Identifier: BSD-3-Clause
// What ULTs wait for in this door. The door registers what reports and traces call these waits when
// it is loaded.
#pragma once

#include "lazult/sync/sync.hpp"

#include <cstdint>

namespace lazult::concert {

enum class own_wait : std::uint8_t {
    result,      // of a method
    ranks,       // in a call that all ranks make
    quiescence,  // of work that is held here
    room,        // in a queue of messages
    calls,       // that other threads still make
};

sync::wait_kind kind_of(own_wait what) noexcept;

}  // namespace lazult::concert
