// SPDX-License-Identifier: BSD-3-Clause
// Counts creations, and records the life of units and streams: in a file (LAZULT_TRACE) and by USDT
// probes.
//
// Nothing of it costs anything where it is off, because nobody asks whether it is on: the
// attributes of units are composed so that prepare() takes its rarest way, and a unit that is
// traced bears marks for which the fast paths look anyhow:
//   is_traced, among its notes      its start and its resumption are not for the fast paths
//   flag_locals                     its end calls destroy_locals()
//   flag_suspended, clear           each of its suspensions is noted as if it were the first
//
// One unit in so many is traced, wholly or not at all. Its descriptor and a number that changes
// with each life of the descriptor identify it.
#pragma once

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

enum class suspension_reason : std::uint8_t {
    yields,
    joins,
    waits,
    runs_child,
    migrates,
    lacks_stack
};

// Learns from the settings what to count and trace. Called by the thread that starts the process's
// first stream, before any unit's attributes are composed.
void choose_observation() noexcept;
// Stops tracing into a file.
void give_up_tracing() noexcept;
// Whether units are counted or traced.
bool observes_units() noexcept;
// A moment, by the processor's clock and by the system's.
struct tick_clock {
    std::uint64_t ticks;
    std::int64_t ns;
    static tick_clock now() noexcept;
};
// When tracing began.
tick_clock trace_beginning() noexcept;

inline bool is_traced_unit(const work_unit& u) noexcept {
    return (u.notes.load(std::memory_order_relaxed) & is_traced) != 0;
}

// Called by prepare(): counts the unit if LAZULT_STATS is on, and begins to trace it if the unit is
// one of the samples that are traced.
void observe_creation(worker& w, work_unit& u) noexcept;

// The next functions are for traced units.
void trace_start(work_unit& u) noexcept;
void trace_start_in_place(work_unit& u) noexcept;
// Records that there is no stack for a unit that was to start: it goes back to its pool.
void trace_delay(work_unit& u) noexcept;
// Records what the running unit waits for: right before trace_suspension(), and once for each
// object. `object` may be gone, or be another one, when the trace is written. So the caller gives
// what can be put in words then: see sync/wait_names.hpp.
// `more`: how many objects besides are not told.
void trace_wait(std::uint8_t kind, std::uint64_t object, std::size_t more = 0) noexcept;
// trace_wait() for the ends of units. With `any`, the first end is enough.
enum class joined : std::uint8_t { all, any };
void trace_join(joined how, work_unit* const* units, std::size_t count,
                std::size_t more = 0) noexcept;
// trace_wait() for a unit that parks, until unpark().
void trace_park() noexcept;
// The kind of the last, which no object has.
inline constexpr std::uint8_t awaits_unpark = 255;
// What the running unit's next yield is for, if it is traced: a kind without an object, or no_wait.
// Between two looks for something, units yield. A yield need not suspend; so after it the unit
// calls this with no_wait.
inline constexpr std::uint8_t no_wait = 0;
void tell_yield(std::uint8_t kind) noexcept;
// trace_wait() for a unit that leaves by suspend(after, argument): see told_suspension.
void trace_suspend(entry_function after, void* argument) noexcept;
// Returns true for the first suspension of the unit's life.
bool trace_suspension(work_unit& u, suspension_reason why) noexcept;
// Called by the waker of the unit. If the unit had ended before, a new life of it begins.
void trace_wake(work_unit& u) noexcept;
// Called by the unit, which may have run all the time.
void trace_resumption(work_unit& u) noexcept;
// Called by a joiner that called its child in place, when the child has ended after a suspension.
void trace_return_into(work_unit& joiner) noexcept;
void trace_end(work_unit& u) noexcept;

// Says what units wait for that leave by suspend(after, argument): `after` alone tells these waits
// apart, so that they need not say it themselves. The library that has the function keeps one
// object of this class, from its load to its unload. tell(argument) calls trace_wait(). Where there
// is no room for it, traces do not say what such a wait is for.
class told_suspension {
public:
    using teller = void (*)(void* argument) noexcept;
    told_suspension(entry_function after, teller tell) noexcept;
    ~told_suspension();
    told_suspension(const told_suspension&) = delete;
    told_suspension& operator=(const told_suspension&) = delete;

private:
    friend void trace_suspend(entry_function after, void* argument) noexcept;
    entry_function after_;
    teller tell_;
};

// Appends to `text`, which has room for `bytes` with the zero at its end, the words of an event
// `awaits`. watch/ registers its function here when it is loaded. It is called only while a tool
// is attached to the suspend probe.
using wait_speller = void (*)(const probe::trace_record& awaited, char* text, std::size_t bytes);
void set_wait_speller(wait_speller spell) noexcept;

// Called by a stream, about itself.
void trace_stream(worker& w, bool begins) noexcept;
void trace_idling(worker& w, bool begins) noexcept;
void trace_theft(worker& w, unsigned units) noexcept;

}  // namespace lazult::core
