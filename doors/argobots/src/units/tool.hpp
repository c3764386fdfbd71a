// SPDX-License-Identifier: BSD-3-Clause
// Events of units, for tools. While no tool listens, each place that can cause an event costs one
// load and one branch.
//
// Sources of the events
//   CREATE, REVIVE, JOIN, FREE, YIELD of the interface,   the functions of the interface
//   and the RUN after such a YIELD
//   RUN at the start, FINISH                              trampoline(), a traced unit's entry
//   SUSPEND, RESUME, CANCEL, other RUN and YIELD          the core's observer (tool.cpp)
#pragma once

#include "load/settings.hpp"
#include "units/caller.hpp"

namespace lazult::abt {

namespace tool {

// The events for which a tool is called, as bits.
// field  written by          read by    order
// mask   write() (a lock)    anybody    relaxed: a hint; read() gets a consistent registration
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<std::uint64_t> mask;

// By the setting abt_tools. Argobots has no tools unless it was configured so, and clients that
// find them profile at a cost.
inline bool is_available() noexcept { return value_of(setting::tools) != 0; }

}  // namespace tool

inline bool tools_are_on() noexcept { return tool::mask.load(std::memory_order_relaxed) != 0; }

// Calls the tool if it listens to this event. Only traced units and the primary ULT have events.
LAZULT_NOINLINE void tell(std::uint64_t event, work_unit& about) noexcept;

// Makes a unit report its start and end. The unit was prepared, or is being revived, and has its
// entry and argument. Returns false when memory is exhausted.
LAZULT_NOINLINE bool trace(work_unit& u) noexcept;

namespace tool {

// Registers the tool for these events. With 0 no tool listens any more.
void listen(ABT_tool_thread_callback_fn called, void* argument, std::uint64_t events) noexcept;

// Answers a tool's question in its callback. Returns SUCCESS, INV_TOOL_CONTEXT or OTHER.
int query(ABT_tool_context handle, ABT_tool_query_kind kind, void* val) noexcept;

// While it lives, the unit's record says for what the caller waits.
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
