// SPDX-License-Identifier: BSD-3-Clause
// The units that wait for a descriptor in one direction, and what is known of it there.
//
// A port watches the descriptor edge-triggered: it hears when the descriptor becomes ready, not
// that it still is. A unit tries its call first, and waits if the call would block. It must not
// miss an edge that comes between the two. So each edge counts: a unit reads the count before it
// tries, and does not begin to wait if the count has changed since.
//
// The state in the queue's word:
//   bits                     set by                         cleared by
//   spent                    a unit that found the          an edge
//                            descriptor exhausted
//   doubtful                 an edge that says more than    the next life
//                            "ready": the other side has
//                            closed, an error, urgent data
//   bytes (22 bits)          see below                      a port's edge
//   edges (the other bits)   an edge adds one               (goes round)
// A unit that meets `spent` waits without a try, unless the state is doubtful. Each edge, and each
// unit that leaves the descriptor ready, wakes one waiter, which passes the wake-up on if the
// descriptor is still ready after its call. So of a thousand units that accept connections, one
// wakes for one connection.
//
// If io::pipe has made both ends of a pipe, the queue of its readers counts the bytes in it. So a
// reader need not ask the kernel whether there is more, and a writer wakes the reader. The state is
// exact if `spent` is set, which means 0, or if bytes is not 0:
//   state      event                                       state after it
//   any        a unit finds nothing, and waits             exact: 0
//   exact: n   a unit has written m (an edge), read m      exact: n + m, n - m
//   exact: n   a unit has read more than n                 not exact
//   exact      an edge from the port                       not exact
// No reader is lost, even if the count is wrong. While the state is exact, the port has heard
// nothing since a moment at which the pipe was empty. If there are bytes in the pipe now, then they
// came after that moment. So the kernel has an event of them, and the port will hear it and wake
// the reader. The same holds for the pipe's end. Thus writes from outside (by another process, by
// write(2), through a duplicate) need no account. Neither do reads from outside, because of which a
// unit may try in vain.
#pragma once

#include <cstdint>

#include "lazult/sync/sync.hpp"

namespace lazult::io::inner {

template <class Atomics = ds::default_atomics>
class edge_queue : public sync::wait_queue<Atomics> {
    using base_queue = sync::wait_queue<Atomics>;

public:
    using typename base_queue::record;
    using typename base_queue::word;
    static constexpr word spent = base_queue::one;
    static constexpr word doubtful = spent << 1;
    static constexpr word one_byte = spent << 2;
    static constexpr word most_bytes = (word{1} << 22) - 1;  // more than a pipe's usual limit
    static constexpr word one_edge = one_byte << 22;

    static bool is_exhausted(word state) noexcept { return (state & (spent | doubtful)) == spent; }
    static bool has_edge_since(word state, word seen) noexcept {
        return state / one_edge != seen / one_edge;
    }
    // The state of a descriptor that was found exhausted, with no edge since.
    static word exhausted(word state) noexcept { return inexact(state) | spent; }
    static word after_edge(word state) noexcept { return inexact(state) + one_edge; }

    bool is_waited_for() const noexcept { return (this->peek() & base_queue::waited_for) != 0; }

    // There was an edge. Returns how many units were made ready.
    int hear(bool is_doubtful, sync::urgency how) noexcept {
        const word news = is_doubtful ? doubtful : 0;
        word before = base_queue::peek();
        if ((before & (base_queue::spin | base_queue::waited_for)) == 0 &&
            base_queue::update(before, after_edge(before) | news)) {
            return 0;
        }
        before = base_queue::hold();
        record* const next = base_queue::take();
        base_queue::let_go(after_edge(before) | news);
        if (next == nullptr) {
            return 0;
        }
        fetch_frames_around(*next);
        sync::wake(next, how);
        return 1;
    }
    // A unit has written that many bytes into the pipe. An edge will tell the port, too.
    void hear_of_bytes(std::uint64_t bytes) noexcept {
        const word before = base_queue::hold();
        record* const next = base_queue::take();
        base_queue::let_go(with_more(before, bytes) + one_edge);
        wake(next, sync::urgency::beside);
    }
    // A unit has read that many bytes out of the pipe. Returns whether they were the last, as far
    // as is known.
    bool took(std::uint64_t bytes) noexcept {
        if (!is_exact(base_queue::peek())) {
            return false;
        }
        const word now = with_fewer(base_queue::hold(), bytes);
        base_queue::let_go(now);
        return is_exhausted(now);
    }
    // Notes that a call, before which the word was `seen`, has left nothing.
    void exhaust(word seen) noexcept {
        word now = base_queue::peek();
        while (!has_edge_since(now, seen) && (now & (base_queue::spin | spent)) == 0 &&
               !base_queue::update(now, now | spent)) {
        }
    }
    // A call has left the descriptor as ready as it was: wakes the next waiter.
    void pass_on() noexcept {
        if (is_waited_for()) LAZULT_UNLIKELY {
            const word before = base_queue::hold();
            record* const next = is_exhausted(before) ? nullptr : base_queue::take();
            base_queue::let_go(before);
            wake(next, sync::urgency::none);
        }
    }

private:
    static bool is_exact(word state) noexcept {
        return (state & (spent | most_bytes * one_byte)) != 0;
    }
    static word inexact(word state) noexcept { return state & ~(spent | most_bytes * one_byte); }
    static word bytes_of(word state) noexcept { return state / one_byte & most_bytes; }

    static word with_more(word state, std::uint64_t bytes) noexcept {
        if (!is_exact(state)) {
            return state;
        }
        const bool fits = bytes <= most_bytes - bytes_of(state);
        return fits ? (state & ~spent) + bytes * one_byte : inexact(state);
    }
    static word with_fewer(word state, std::uint64_t bytes) noexcept {
        if (!is_exact(state) || bytes > bytes_of(state)) {
            return inexact(state);
        }
        return bytes == bytes_of(state) ? exhausted(state) : state - bytes * one_byte;
    }
    // Where thousands of units wait, each has left the caches. The record stands on its unit's
    // stack, among the frames in which the unit goes on.
    static void fetch_frames_around(const record& r) noexcept {
        constexpr std::ptrdiff_t line = base::cache_line;
        const auto* const at = reinterpret_cast<const char*>(&r);
#pragma GCC unroll 22
        for (std::ptrdiff_t i = -7; i < 15; ++i) {
            __builtin_prefetch(at + i * line, 1);
        }
    }
    static void wake(record* next, sync::urgency how) noexcept {
        if (next != nullptr) {
            sync::wake(next, how);
        }
    }
};

}  // namespace lazult::io::inner
