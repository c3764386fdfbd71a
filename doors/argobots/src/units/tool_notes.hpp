// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <abt.h>

#include <cstdint>

namespace lazult::abt {

// The state of a unit as tools know it, and the events that change it:
//   unknown -> ready                    CREATE
//   ready -> running                    RUN
//   running -> ready                    YIELD; for the primary ULT also from unknown
//   running -> waiting                  SUSPEND; for the primary ULT also from unknown
//   waiting -> ready                    RESUME
//   running -> ended, ready -> ended    FINISH, CANCEL
//   ended -> ready                      REVIVE
enum class told_state : std::uint8_t { unknown, ready, running, waiting, ended };

// What tools may ask about a unit. It is kept up to date while a tool listens.
// field        written by           read by              order
// why, object  the unit             the unit, in events  none needed
// state        callers of tell()    callers of tell()    handed over with the unit
struct tool_notes {
    told_state state = told_state::unknown;
    ABT_sync_event_type why = ABT_SYNC_EVENT_TYPE_UNKNOWN;
    const void* object = nullptr;
};

}  // namespace lazult::abt
