// SPDX-License-Identifier: BSD-3-Clause
#include "units/tool.hpp"

#include <mutex>

#include "units/thread_record.hpp"
#include "units/unit_defaults.hpp"
#include "units/xstream_numbers.hpp"

namespace lazult::abt {

namespace tool {

constinit ds::default_atomics::atomic<std::uint64_t> mask{0};

}  // namespace tool

namespace {

using callback = ABT_tool_thread_callback_fn;

// The registered tool. Function, argument and mask change together: a reader reads them again if
// the version was odd before, or has changed afterwards.
//
// field    written by             read by         order
// version  write() (under lock)   read_once()     release / acquire
// others   write() (under lock)   read_once()     release / acquire: a reader that sees a new value
//                                                 then also sees the changed version
struct registration {
    ds::default_atomics::atomic<std::uint32_t> version{0};
    ds::default_atomics::atomic<callback> function{nullptr};
    ds::default_atomics::atomic<void*> argument{nullptr};
    ds::default_atomics::atomic<std::uint64_t> events{0};
};
constinit registration present;
constinit std::mutex writers;

struct listener {
    callback function;
    void* argument;
    std::uint64_t events;
};

bool read_once(listener& l) noexcept {
    // pairs with: write()
    const std::uint32_t before = present.version.load(std::memory_order_acquire);
    // pairs with: write()
    l.function = present.function.load(std::memory_order_acquire);
    // pairs with: write()
    l.argument = present.argument.load(std::memory_order_acquire);
    // pairs with: write()
    l.events = present.events.load(std::memory_order_acquire);
    return before % 2 == 0 && present.version.load(std::memory_order_relaxed) == before;
}

listener read() noexcept {
    listener l{};
    while (!read_once(l)) {
        os::yield_thread();
    }
    return l;
}

void write(const listener& l) noexcept {
    const std::scoped_lock guard(writers);
    const std::uint32_t before = present.version.load(std::memory_order_relaxed);
    present.version.store(before + 1, std::memory_order_relaxed);
    present.function.store(l.function, std::memory_order_release);  // pairs with: read_once()
    present.argument.store(l.argument, std::memory_order_release);  // pairs with: read_once()
    present.events.store(l.events, std::memory_order_release);      // pairs with: read_once()
    present.version.store(before + 2, std::memory_order_release);   // pairs with: read_once()
    tool::mask.store(l.events, std::memory_order_relaxed);
    choose_quick_tasklets(tools_are_on());
}

// What the tool gets as its ABT_tool_context. It lives on the stack of the thread that calls the
// tool, and ends with the callback.
struct context {
    static constexpr std::uint64_t sign = 0x7478657420746261;

    std::uint64_t magic = sign;
    work_unit* about = nullptr;
    work_unit* caller = nullptr;  // the unit that caused the event; nullptr: an external thread
    tool_notes notes;
    int depth = 0;
};

// The unit that gave way or ended last on this OS thread. It is accessed only where the caller
// cannot suspend between getting and using the reference.
LAZULT_NOINLINE work_unit*& last_unit_here() noexcept {
    static thread_local work_unit* last = nullptr;
    return last;
}

int depth_of(const worker* w) noexcept {
    int depth = 0;
    for (const core::host* h = w == nullptr ? nullptr : w->here; h != nullptr; h = h->parent()) {
        ++depth;
    }
    return depth;
}

// Returns the unit that gave way or ended last on this OS thread before `now` runs. If that is
// `now` itself or no unit, returns the scheduler's unit.
work_unit* predecessor(const worker* w, const work_unit& now) noexcept {
    work_unit* before = last_unit_here();
    if (before != nullptr && before != &now) {
        return before;
    }
    return w == nullptr || w->here == nullptr ? nullptr : w->here->self_unit();
}

void call(const listener& l, std::uint64_t event, work_unit& about) noexcept {
    const caller me = this_caller();
    context c;
    c.about = &about;
    c.caller = event == ABT_TOOL_EVENT_THREAD_RUN ? predecessor(me.w, about) : me.unit;
    c.depth = depth_of(me.w);
    if (const thread_record* record = present_record(about); record != nullptr) {
        c.notes = record->notes;
    }
    const ABT_xstream where = me.is_outside() ? nullptr : running_xstream(*me.w);
    {
        const core::program_callback inside;
        l.function(to_handle(&about), where == nullptr ? as_null(ABT_XSTREAM_NULL) : where, event,
                   reinterpret_cast<ABT_tool_context>(&c), l.argument);
    }
    constexpr std::uint64_t gives_way = ABT_TOOL_EVENT_THREAD_YIELD | ABT_TOOL_EVENT_THREAD_SUSPEND;
    if ((event & (gives_way | ABT_TOOL_EVENT_THREAD_FINISH)) != 0) {
        last_unit_here() = &about;
    }
}

context* checked_context(ABT_tool_context handle) noexcept {
    auto* c = reinterpret_cast<context*>(handle);
    const auto at = reinterpret_cast<std::uintptr_t>(handle);
    return at >= 4096 && at % alignof(context) == 0 && c->magic == context::sign ? c : nullptr;
}

template <class T>
int answer(void* val, T value) noexcept {
    *static_cast<T*>(val) = value;
    return ABT_SUCCESS;
}

int answer(const context& c, ABT_tool_query_kind kind, void* val) noexcept {
    switch (kind) {
        case ABT_TOOL_QUERY_KIND_POOL: return answer(val, to_handle(c.about->home));
        case ABT_TOOL_QUERY_KIND_STACK_DEPTH: return answer(val, c.depth);
        case ABT_TOOL_QUERY_KIND_CALLER_TYPE:
            return answer(
                val, c.caller == nullptr ? ABT_EXEC_ENTITY_TYPE_EXT : ABT_EXEC_ENTITY_TYPE_THREAD);
        case ABT_TOOL_QUERY_KIND_CALLER_HANDLE:
            return answer(val, c.caller == nullptr ? ABT_thread() : to_handle(c.caller));
        case ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE: return answer(val, c.notes.why);
        case ABT_TOOL_QUERY_KIND_SYNC_OBJECT_HANDLE: return answer(val, c.notes.object);
    }
    return ABT_ERR_OTHER;
}

// Checks whether the event can follow the events that tools have had of the unit. If so, changes
// the state and returns true. If tools missed the beginning of something, its later events are
// dropped.
bool advance(told_state& state, std::uint64_t event) noexcept {
    const auto go = [&state](bool follows, told_state next) noexcept {
        state = follows ? next : state;
        return follows;
    };
    const bool goes_away = state == told_state::running || state == told_state::unknown;
    switch (event) {
        case ABT_TOOL_EVENT_THREAD_CREATE:
        case ABT_TOOL_EVENT_THREAD_REVIVE: return go(true, told_state::ready);
        case ABT_TOOL_EVENT_THREAD_RUN: return go(state == told_state::ready, told_state::running);
        case ABT_TOOL_EVENT_THREAD_YIELD: return go(goes_away, told_state::ready);
        case ABT_TOOL_EVENT_THREAD_SUSPEND: return go(goes_away, told_state::waiting);
        case ABT_TOOL_EVENT_THREAD_RESUME:
            return go(state == told_state::waiting, told_state::ready);
        case ABT_TOOL_EVENT_THREAD_FINISH:
            return go(state == told_state::running, told_state::ended);
        case ABT_TOOL_EVENT_THREAD_CANCEL: return go(state == told_state::ready, told_state::ended);
        default: return state == told_state::ended;
    }
}

// nullptr: tools do not hear of this unit. It may be another door's.
thread_record* told_record(work_unit& u) noexcept {
    if (!has_bit(u, abt_unit)) {
        return nullptr;
    }
    if (has_bit(u, abt_traced)) {
        return present_record(u);
    }
    return has_bit(u, abt_primary) ? record_of(u) : nullptr;
}

// A traced unit's RUN and FINISH events. The object lives as long as the user's function runs; that
// function ends by returning, or by an exception that unwinds through here.
class told_life {
public:
    explicit told_life(work_unit& u) noexcept : unit_(u) { tell(ABT_TOOL_EVENT_THREAD_RUN, unit_); }
    told_life(const told_life&) = delete;
    told_life& operator=(const told_life&) = delete;
    // A unit that was cancelled in a yield has not reported that it runs again, so RUN comes first.
    // In all other cases RUN cannot follow the unit's last event, and tell() drops it.
    ~told_life() {
        tell(ABT_TOOL_EVENT_THREAD_RUN, unit_);
        tell(ABT_TOOL_EVENT_THREAD_FINISH, unit_);
    }

private:
    work_unit& unit_;
};

void trampoline(void* unit) {
    auto* u = static_cast<work_unit*>(unit);
    const thread_record* record = present_record(*u);
    const core::entry_function entry = record->entry;
    void* argument = record->argument;
    const told_life life(*u);
    entry(argument);
}

constexpr core::unit_observer observer = {
    [](work_unit* u) noexcept { tell(ABT_TOOL_EVENT_THREAD_SUSPEND, *u); },
    [](work_unit* u) noexcept { tell(ABT_TOOL_EVENT_THREAD_RESUME, *u); },
    [](work_unit* u) noexcept { tell(ABT_TOOL_EVENT_THREAD_RUN, *u); },
    [](work_unit* u) noexcept {
        const thread_record* record = told_record(*u);
        const bool runs = record != nullptr && record->notes.state == told_state::running;
        tell(ABT_TOOL_EVENT_THREAD_YIELD, *u);
        return runs;
    },
    [](work_unit* u) noexcept { tell(ABT_TOOL_EVENT_THREAD_CANCEL, *u); },
};

}  // namespace

void tell(std::uint64_t event, work_unit& about) noexcept {
    thread_record* record = told_record(about);
    if (record == nullptr || !advance(record->notes.state, event)) {
        return;
    }
    const listener l = read();
    if ((l.events & event) != 0) {
        call(l, event, about);
    }
}

void tool::listen(ABT_tool_thread_callback_fn called, void* argument,
                  std::uint64_t events) noexcept {
    write({called, argument, events});
    core::observe_units(events == 0 ? nullptr : &observer);
}

int tool::query(ABT_tool_context handle, ABT_tool_query_kind kind, void* val) noexcept {
    const auto* c = checked_context(handle);
    return c == nullptr ? ABT_ERR_INV_TOOL_CONTEXT : answer(*c, kind, val);
}

bool trace(work_unit& u) noexcept {
    thread_record* record = record_of(u);
    if (record == nullptr) {
        return false;
    }
    record->entry = u.entry;
    record->argument = u.argument;
    u.entry = trampoline;
    u.argument = &u;
    core::watch(u);
    set_bit(u, abt_traced);
    return true;
}

void tool::wait_reason::note(ABT_sync_event_type why, const void* object) noexcept {
    if (thread_record* record = record_of(*unit_); record != nullptr) {
        record->notes.why = why;
        record->notes.object = object;
    }
}

}  // namespace lazult::abt
