// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <abt.h>

#include <cstdint>

namespace lazult::abt {

// Where a unit is, as far as tools know:
//   unknown -> ready                    CREATE
//   ready -> running                    RUN
//   running -> ready, waiting           YIELD, SUSPEND; from unknown, too, of the primary ULT
//   waiting -> ready                    RESUME
//   running, ready -> ended             FINISH, CANCEL
//   ended -> ready                      REVIVE
enum class told_state : std::uint8_t { unknown, ready, running, waiting, ended };

// Kept while a tool listens.
// field        written by           read by              order
// why, object  the unit             the unit, in events  none needed
// state        callers of tell()    the same             handed over with the unit
struct tool_notes {
    told_state state = told_state::unknown;
    ABT_sync_event_type why = ABT_SYNC_EVENT_TYPE_UNKNOWN;
    const void* object = nullptr;
};

}  // namespace lazult::abt
