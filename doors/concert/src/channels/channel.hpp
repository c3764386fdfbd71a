// SPDX-License-Identifier: BSD-3-Clause
// One tier of one queue: sends packets to the peers of the tier, and receives packets from them.
// Peers are numbered within the tier.
#pragma once

#include "queues/packet.hpp"
#include "queues/packet_pool.hpp"

#include "lazult/arch/arch.hpp"
#include "lazult/ds/ds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace lazult::concert {

// A packet that is being filled.
struct open_packet {
    std::byte* payload = nullptr;  // nullptr: no packet is open
    std::uint32_t capacity = 0;
    std::uint32_t used = 0;
    std::uint32_t messages = 0;
    block where;                // pull: the block in the window; no block: in ordinary memory
    std::uint16_t pushed = 0;   // see packet_facts
    bool goes_by_push = false;  // auto: what was chosen when the packet was opened

    // Fetches lines that the messages after the next few will lie on. The receiver has read the
    // block last, so its core has them. A store that waits for its line holds up the atomic
    // operations behind it. `bytes`: how many have been written since the last call.
    LAZULT_ALWAYS_INLINE void fetch_ahead(std::uint32_t bytes) const noexcept {
        constexpr std::uint32_t ahead = 256;  // what is written while a line is on its way
        if (where) {
            const std::uint32_t end = std::min(used + ahead, capacity);
            for (std::uint32_t at = used + ahead - bytes; at < end; at += unit_bytes) {
                arch::prefetch_for_write(payload + at);
            }
        }
    }
};

// Adds one to a number that one thread at a time changes.
// pairs with: sent(), counters(), which add numbers up; the numbers publish nothing else
inline void add_one(ds::default_atomics::atomic<std::uint64_t>& number) noexcept {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// Calls call(), which handles a message that was counted as sent, or a packet that has come.
// Without memory for these the process ends, because it would never come to quiescence.
template <class Call>
void must_succeed(Call&& call) noexcept {
    if (!base::has_memory_for(call)) {
        base::fatal_misuse("messages",
                           "memory is exhausted, and one that was accepted cannot go on its way",
                           "send less at once, or extract more often");
    }
}

struct channel_counters {
    std::uint64_t packets = 0;
    std::uint64_t waits = 0;       // packets that waited for a slot; auto: that found none
    std::uint64_t backlogged = 0;  // packets that found the window full and were put off
    std::uint64_t window_bytes = 0;
};

// Calls of open(), commit() and send_alone() for one peer come one at a time. The exception is
// send_alone() of a channel that locks itself. A received packet is valid until the
// receiver's next receive(). One thread at a time receives.
class channel {
public:
    using message_count = ds::default_atomics::atomic<std::uint64_t>;

    channel() = default;
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    virtual ~channel() = default;

    virtual bool is_far() const noexcept = 0;
    // Opens a packet with space for at least `bytes` of messages. Throws std::bad_alloc.
    virtual void open(unsigned peer, open_packet& packet, std::uint32_t bytes) = 0;
    // Sends the open packet off, after which none is open.
    virtual void commit(unsigned peer, open_packet& packet, std::uint16_t source,
                        std::uint32_t epoch) = 0;
    // Sends one message as a packet of its own, without open() and commit(). Adds one to `sent`,
    // unless it throws std::bad_alloc. Returns true if the channel had no space: then the message
    // waits in ordinary memory.
    virtual bool send_alone(unsigned peer, const packet_facts& facts, message_header header,
                            const void* data, message_count& sent) = 0;
    // Returns the next packet. Copies it to `into`, unless the packet can be read where it lies.
    virtual packet_view receive(std::vector<std::byte>& into) = 0;
    // Returns true if no sender waits until this rank has received. Otherwise senders may wait for
    // slots of a ring here.
    virtual bool is_pull() const noexcept = 0;
    // Returns true if several threads may call send_alone() for one peer at a time.
    virtual bool locks_itself() const noexcept { return false; }
    // Sends off packets that were put off, as far as there is space again. Called by any thread.
    virtual void retry() = 0;
    // Returns true if more bytes wait in ordinary memory than may, so that a sender waits. A hint.
    virtual bool is_crowded() const noexcept { return false; }
    // Gives memory that no packet uses back to the system, after a burst. Any thread may call this.
    virtual void shrink() {}
    virtual channel_counters counters() = 0;
};

}  // namespace lazult::concert
