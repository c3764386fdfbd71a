// SPDX-License-Identifier: BSD-3-Clause
// The runtime of a process: its streams, where new units go, how it starts and stops.
#pragma once

#include <cstddef>

#include "lazult/sched/stream.hpp"

namespace lazult::sched {

// Starts the runtime with the current settings unless it runs. The process's main thread becomes
// stream 0; when another thread starts it, that thread stays outside and all streams are new ones.
// Counted: each successful start needs a stop. Thread-safe.
base::status start_runtime();
// The last stop ends all streams that are left. Units that have not started by then are cancelled;
// when `drain` is set, ready ones run first. On the primary ULT when there is one.
base::status stop_runtime(bool drain);
bool runtime_is_running() noexcept;

// What comes before the first stream of any kind, and after the last one: the settings are frozen
// in between, and faults on stacks are explained. Counted; start_runtime() and stop_runtime() do it
// for their own streams. Thread-safe.
void enter_process() noexcept;
void leave_process() noexcept;
// Whether anybody has entered: the runtime, or a door with streams of its own.
bool process_has_streams() noexcept;

// Starts it if it never ran: what every first use calls. It then stops when the process exits.
void ensure_runtime();

// Where units go that name no pool: the caller's stream if it is one of the runtime's, else those
// in turn. Of a runtime that runs.
ready_pool& default_pool(const worker* w);

int stream_count() noexcept;
// Of a stream that the runtime's own scheduler serves, and that nobody has begun to end; nullptr
// when there is no other.
stealing_pool* pool_of_another_stream(const stream& but) noexcept;
// From now on no unit is sent to the stream's pool because its own stream ends.
void begin_to_end(stream& s) noexcept;
// As above, by a unit that runs there and is at home in that pool. Where it goes on until the
// stream has ended: at home, if neither this stream nor another one that ends has to do with that,
// for a unit of a work-stealing pool goes on wherever what it waited for has ended; else in the
// pool of a stream that stays. The choice and the mark are one step: a unit waits on no stream that
// began to end before its own, so no two units wait for each other's streams. nullptr, and no mark:
// there is none.
core::pool* begin_to_end_by(stream& s, core::pool& home) noexcept;
// By rank; nullptr when there is none.
stream* stream_at(int rank) noexcept;
stream* primary_stream() noexcept;
void for_each_stream(void (*visit)(stream&, void*), void* argument);

// For streams.
int take_rank();  // the lowest free one
void give_rank(int rank);
void register_stream(stream& s);
void unregister_stream(stream& s);

}  // namespace lazult::sched
