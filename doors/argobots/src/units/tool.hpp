// SPDX-License-Identifier: BSD-3-Clause
// Events of units, for tools. While no tool listens, each place where there is an event costs one
// load and a branch.
//
// Where the events come from
//   CREATE, REVIVE, JOIN, FREE, CANCEL, YIELD and the RUN after a yield   the functions of the
//                                                                         interface
//   RUN at the start, FINISH                       trampoline(), the entry function of a traced
//                                                  unit
//   SUSPEND, RESUME, the RUN after a suspension    the core's observer
#pragma once

#include "units/caller.hpp"

namespace lazult::abt {

namespace tool {

// field  written by             read by    order
// mask   register (under lock)  anybody    relaxed: a hint; tell() reads what belongs together
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<std::uint64_t> mask;

// By the setting abt_tools. Argobots has no tools unless it was configured so, and clients that
// find them profile at a cost.
inline bool is_available() noexcept { return base::current_settings().abt_tools; }

}  // namespace tool

inline bool tools_are_on() noexcept { return tool::mask.load(std::memory_order_relaxed) != 0; }

// Calls the tool, if it listens to this event.
LAZULT_NOINLINE void tell(std::uint64_t event, work_unit& about) noexcept;

// Makes a unit tell of its start and end. The unit is prepared, or is to be revived, and has its
// entry and argument. False when memory is exhausted.
LAZULT_NOINLINE bool trace(work_unit& u) noexcept;

namespace tool {

// From now on the tool is called for these events. 0: no tool listens any more.
void listen(ABT_tool_thread_callback_fn called, void* argument, std::uint64_t events) noexcept;

// What the tool asks in its callback. SUCCESS; INV_TOOL_CONTEXT, OTHER.
int query(ABT_tool_context handle, ABT_tool_query_kind kind, void* val) noexcept;

// What the caller waits for, as long as this lives.
class wait_reason {
public:
    wait_reason(const caller& me, ABT_sync_event_type why, const void* object) noexcept
        : unit_(tools_are_on() && me.is_ult() ? me.unit : nullptr) {
        if (unit_ != nullptr) LAZULT_UNLIKELY {
            note(why, object);
        }
    }
    wait_reason(const wait_reason&) = delete;
    wait_reason& operator=(const wait_reason&) = delete;
    ~wait_reason() {
        if (unit_ != nullptr) LAZULT_UNLIKELY {
            note(ABT_SYNC_EVENT_TYPE_UNKNOWN, nullptr);
        }
    }

private:
    void note(ABT_sync_event_type why, const void* object) noexcept;

    work_unit* unit_;
};

}  // namespace tool
}  // namespace lazult::abt
