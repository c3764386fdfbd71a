// SPDX-License-Identifier: BSD-3-Clause
// Waiting for the first of several things, and for units with a deadline. What ends the wait has
// been done: the token is the caller's, the element has moved. Nothing else has: exactly one source
// claims the wait.
#pragma once

#include "lazult/sync/channel.hpp"
#include "lazult/sync/eventual.hpp"
#include "lazult/sync/future.hpp"
#include "lazult/sync/semaphore.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace lazult::sync {

// One thing to wait for. Buffers are as for channel_base: the first is moved from, the second is
// uninitialised, and both are left alone unless this choice ends the wait with ok.
class choice {
public:
    enum class kind : std::uint8_t { finished, set, ready, acquired, sent, received };

    // A unit has finished; it is still to be joined or freed. Nobody else may be waiting for it.
    static choice finished(core::work_unit* u) noexcept { return {kind::finished, u, nullptr}; }
    static choice set(event_cell& e) noexcept { return {kind::set, &e, nullptr}; }
    static choice ready(future& f) noexcept { return {kind::ready, &f, nullptr}; }
    static choice acquired(semaphore& s) noexcept { return {kind::acquired, &s, nullptr}; }
    static choice sent(channel_base& c, void* from) noexcept { return {kind::sent, &c, from}; }
    static choice received(channel_base& c, void* into) noexcept {
        return {kind::received, &c, into};
    }

    kind what() const noexcept { return what_; }
    template <class T>
    T& object() const noexcept {
        return *static_cast<T*>(object_);
    }
    const void* address() const noexcept { return object_; }
    void* buffer() const noexcept { return buffer_; }

private:
    choice(kind what, void* object, void* buffer) noexcept
        : what_(what), object_(object), buffer_(buffer) {}

    kind what_;
    void* object_;
    void* buffer_;
};

struct any_result {
    // ok; closed: this choice's channel is; timed_out, canceled and cannot_suspend: no index;
    // already_joined, freed_handle, invalid_handle, would_deadlock: this choice's unit;
    // invalid_argument: no choices and no deadline.
    base::status outcome;
    std::size_t index;
};

// Of choices that need no waiting, the first one is taken.
any_result wait_any(std::span<const choice> choices, const wait_limit& limit = no_deadline);

// As core::join, with a limit: timed_out and canceled leave the unit as it was.
base::status join_until(core::work_unit* u, const wait_limit& limit);

}  // namespace lazult::sync
