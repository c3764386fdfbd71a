// SPDX-License-Identifier: BSD-3-Clause
// Callbacks that streams poll now and then: progress of a network, completion queues.
#pragma once

#include <cstdint>

#include "lazult/sched/sleepers.hpp"

namespace lazult::sched {

// Returns how many completions it found. Runs on any stream, one stream at a time; must not
// suspend. Other callbacks run beside it.
using event_callback = int (*)(void*);

// Whether a callback may find something at any time, or only while somebody expects it to: see
// expect_events().
enum class awaited : std::uint8_t { always, when_expected };

// Thread-safe. The id is never 0; 0 means that memory is exhausted.
std::uint64_t add_event_callback(event_callback callback, void* argument,
                                 awaited when = awaited::always) noexcept;
// When it returns, the callback does not run any more and will not again. By the callback itself:
// it will not again.
void remove_event_callback(std::uint64_t id) noexcept;

bool has_event_callbacks() noexcept;

// The gate of sleeping streams that otherwise only work would wake. Through it, one of them is
// woken when a stream must look for events now.
gate& event_gate();

// Idle streams poll while somebody waits for events. Any OS thread may call this: +1 before the
// wait, -1 after it. The first waiter wakes a sleeping stream, unless the caller's own stream has
// nothing else to do. While nobody waits, idle streams sleep, or poll now and then for callbacks
// that may always find something.
void expect_events(int change) noexcept;
bool awaits_events() noexcept;
// Whether somebody waits.
bool expects_events() noexcept;
// Polls all callbacks but those that another stream is in at this moment. Returns the completions.
int poll_events() noexcept;

// How long a stream sleeps between two polls while somebody expects events: at first, at most, and
// when it does not have the turn to poll.
inline constexpr std::int64_t first_event_sleep_ns = 20'000;
inline constexpr std::int64_t event_sleep_ns = 100'000;
inline constexpr std::int64_t idle_watch_sleep_ns = 1'000'000;
// The last two while nobody expects events: at most, and when it does not have the turn.
inline constexpr std::int64_t quiet_event_sleep_ns = 20'000'000;
inline constexpr std::int64_t quiet_watch_sleep_ns = 100'000'000;

// At most one idle stream polls at a time. It holds the turn for one round: the poll and the
// pause after it.
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
    // Called by a stream that goes on to run something, and that may have been woken to poll. If
    // events are awaited and no stream holds the turn, it wakes a sleeper to poll. While other
    // streams watch for a free turn, it does so at most once within event_sleep_ns, because the
    // last holder is mostly back by then.
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
