// SPDX-License-Identifier: BSD-3-Clause
// Waits for the first of several things, and joins units with a deadline. The choice that ends the
// wait has been carried out: its token is the caller's, its element has moved. No other choice has
// been carried out, because exactly one source claims the wait.
#pragma once

#include "lazult/sync/channel.hpp"
#include "lazult/sync/eventual.hpp"
#include "lazult/sync/future.hpp"
#include "lazult/sync/semaphore.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace lazult::sync {

// One thing to wait for. sent() moves an element from its buffer; received() moves one to its
// uninitialised buffer. Both leave the buffer alone unless this choice ends the wait with ok.
class choice {
public:
    enum class kind : std::uint8_t { finished, set, ready, acquired, sent, received };

    // The end of a unit, which must still be joined or freed. No other caller may wait for it.
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
    // ok. closed: the channel of choice `index` is closed. timed_out, canceled, cannot_suspend:
    // `index` names no choice. already_joined, freed_handle, invalid_handle, would_deadlock,
    // out_of_memory: the unit of choice `index` cannot be waited for. invalid_argument: no choices
    // and no limit.
    base::status outcome;
    std::size_t index;
};

// Waits for one of the choices. If several need no waiting, takes the first of those.
any_result wait_any(std::span<const choice> choices, const wait_limit& limit = no_deadline);

// As core::join(), but with a limit. timed_out and canceled leave the unit as it was.
base::status join_until(core::work_unit* u, const wait_limit& limit);

}  // namespace lazult::sync
