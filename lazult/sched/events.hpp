// SPDX-License-Identifier: BSD-3-Clause
// Callbacks that streams poll now and then: for progress of a network, or for completion queues.
#pragma once

#include <cstdint>

#include "lazult/sched/sleepers.hpp"

namespace lazult::sched {

// Returns how many completions it found. A callback runs on any stream, on one at a time, and must
// not suspend. Different callbacks may run at the same time.
using event_callback = int (*)(void*);

// always: a callback may find something at any time. when_expected: only while a caller waits for
// events, see expect_events().
enum class awaited : std::uint8_t { always, when_expected };

// Adds a callback. Returns its id, or 0 if memory is exhausted. Thread-safe.
std::uint64_t add_event_callback(event_callback callback, void* argument,
                                 awaited when = awaited::always) noexcept;
// Removes a callback, which will not run again. Waits until the callback has returned, unless the
// callback itself is the caller.
void remove_event_callback(std::uint64_t id) noexcept;

bool has_event_callbacks() noexcept;

// The gate at which idle streams sleep, besides those of their pools, unless they soon poll again
// by themselves. A thread that needs a stream to poll now notifies this gate.
gate& event_gate();

// Any OS thread calls this: +1 before it waits for an event, -1 after the wait. Idle streams poll
// while callers wait. The first of these callers wakes a sleeping stream, unless its own stream has
// nothing to do but to poll. While no caller waits, idle streams sleep, or poll now and then for
// callbacks of the kind `always`.
void expect_events(int change) noexcept;
bool awaits_events() noexcept;
// Returns whether a caller waits for an event. awaits_events() also counts `always` callbacks.
bool expects_events() noexcept;
// Polls all callbacks but those that run at this moment. Returns the number of completions.
int poll_events() noexcept;

// Looks whether something has happened in the kernel that a unit of this stream waits for. Returns
// how many units it has made ready. Called by the stream.
LAZULT_ALWAYS_INLINE int poll_port(const worker& w) noexcept {
    // relaxed: this thread has stored it
    core::kernel_port* const port = w.port.load(std::memory_order_relaxed);
    return port != nullptr && port->is_awaited() ? port->poll() : 0;
}

// How long a stream sleeps between two polls while a caller expects events: at first, at most, and
// if another stream has the turn to poll.
inline constexpr std::int64_t first_event_sleep_ns = 20'000;
inline constexpr std::int64_t event_sleep_ns = 100'000;
inline constexpr std::int64_t idle_watch_sleep_ns = 1'000'000;
// While no caller expects events: at most, and if another stream has the turn to poll.
inline constexpr std::int64_t quiet_event_sleep_ns = 20'000'000;
inline constexpr std::int64_t quiet_watch_sleep_ns = 100'000'000;

// At most one idle stream polls at a time. That stream holds the turn for one round: the poll and
// the pause after it.
class poll_turn {
public:
    poll_turn() noexcept;
    ~poll_turn();
    poll_turn(const poll_turn&) = delete;
    poll_turn& operator=(const poll_turn&) = delete;

    bool is_mine() const noexcept { return mine_; }
    // True if no stream holds the turn now.
    static bool is_free() noexcept;
    // Called by a stream that goes on to run something. Gives the turn back if the stream holds it,
    // and then does what call_another() does.
    void leave_for_work() noexcept;
    // Called by a stream that goes on to run something, and that a waker may have wanted to poll.
    // If events are awaited and no stream holds the turn, wakes a sleeper to poll. While other
    // streams watch for a free turn, does so at most once within event_sleep_ns, because the last
    // holder is mostly back by then.
    static void call_another() noexcept;

    // Marks a stream that watches for a free turn, for as long as it sleeps between two looks.
    class watch {
    public:
        watch() noexcept;
        ~watch();
        watch(const watch&) = delete;
        watch& operator=(const watch&) = delete;
    };

private:
    bool mine_;
};

}  // namespace lazult::sched
