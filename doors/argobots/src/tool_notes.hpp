// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <abt.h>

namespace lazult::abt {

// What a unit waits for, kept while a tool listens.
// field  who writes  who reads                             order
// both   the unit    the unit, in the event that it tells  none needed
struct tool_notes {
    ABT_sync_event_type why = ABT_SYNC_EVENT_TYPE_UNKNOWN;
    const void* object = nullptr;
};

}  // namespace lazult::abt
