// SPDX-License-Identifier: BSD-3-Clause
// How strands reach those of other ranks: by whatever has been put in place while a session exists.
#pragma once

#include "lazult/sync/sync.hpp"

#include <cstddef>
#include <cstdint>

namespace lazult::concert {

class transport {
public:
    // Returns nullptr while there is no session.
    static transport* current() noexcept;
    // A session begins or ends: called by one thread, outside of methods.
    static void use(transport* t) noexcept;

    // Brings the bytes to that rank, which gives them to take_message(). Throws std::bad_alloc, and
    // error: invalid_argument. May block, but does not suspend a caller inside a strand.
    virtual void send(std::uint32_t rank, const std::byte* data, std::size_t bytes) = 0;
    virtual std::uint32_t count_of_ranks() const noexcept = 0;
    // False: the caller is a message's handler, for which no other message would be taken.
    virtual bool may_wait() const noexcept = 0;
    // Of this rank, from any beginning.
    virtual std::int64_t now_ns() noexcept = 0;
    // How long a loop may run before it gives way; 0: to its end.
    virtual std::int64_t slice_ns() const noexcept = 0;
    // Sends what has been gathered. Called inside a strand, before contexts run that may take long.
    virtual void send_gathered() noexcept = 0;
    // Both are called between contexts, outside of strands, and do not suspend. take_some() takes
    // some messages of all queues, for a thread that waits in run(). attend() takes messages of
    // queues with extract_when_idle only, for a stream; and it sends packets that are late. While
    // many messages come, both go on until that time by os::now_ns().
    virtual void take_some(std::int64_t until_ns) noexcept = 0;
    virtual void attend(std::int64_t until_ns) noexcept = 0;
    // Takes what comes from other ranks, and makes visits that are due, until the event happens.
    // May suspend.
    virtual void await(sync::event_cell& until) noexcept = 0;

protected:
    ~transport() = default;
};

// Any thread outside of strands: a message has come from `source`. Its function runs on this stack
// if nobody is inside its strand; else a copy is left there.
void take_message(std::uint32_t source, const std::byte* data, std::size_t bytes) noexcept;

}  // namespace lazult::concert
