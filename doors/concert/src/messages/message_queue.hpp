// SPDX-License-Identifier: BSD-3-Clause
// A queue as its users see it. It collects messages to ranks into packets, sends the packets over
// one tier or two, and runs the messages that come from the ranks.
//
// Locks. Only delivering_ is held while a handler runs.
//   outbox.lock    protects what is being collected for one rank, and the order in which its
//                  packets go. A push sender keeps it while it waits for a slot, and empties its
//                  own rings meanwhile.
//   receiving_     protects what has come: the receiving sides of the channels, ready_, early_,
//                  store_. A waiter only calls try_lock().
//   delivering_    Its holder runs handlers, so handlers run one at a time and in order. Taken by
//                  try_lock() only, except in await_handler(). Handlers do not suspend.
// A packet of a later epoch than this rank's waits in early_. The holder of receiving_ reads this
// rank's epoch once, and admits what has waited before it looks at anything newer. Otherwise the
// messages of one sender would overtake each other.
//
// field         | written by                  | read by       | order
// delivered_    | the deliverer               | quiescence    | release / acquire: what the handler
//               |                             |               | sent is counted before
// oldest_open_  | opener of a packet, flushes | anyone        | relaxed: a hint, decided under
//               |                             |               | outbox.lock; exchanged, so that the
//               |                             |               | thread that changes it to or from 0
//               |                             |               | notifies the streams
// outbox.sent   | the sender, under a lock    | quiescence    | relaxed: the reader has acquired
//               |                             |               | what it must see by delivered_
#pragma once

#include "channels/channel.hpp"
#include "messages/handlers.hpp"
#include "messages/options.hpp"
#include "support/packet_store.hpp"
#include "support/spin_lock.hpp"

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace lazult::concert {

using epoch_word = ds::default_atomics::atomic<std::uint32_t>;

class message_queue {
public:
    // The channel that leads to a rank, and the rank's number among the channel's peers.
    struct route {
        channel* via;
        unsigned peer;
    };

    // A sender that waits for space calls take_in(nanoseconds waited) again and again. take_in()
    // takes what comes into memory; otherwise ranks could wait for each other's space for ever.
    message_queue(const concert_options& options, std::uint16_t self, const handler_table& handlers,
                  const epoch_word& epoch, std::vector<std::unique_ptr<channel>> channels,
                  const std::vector<route>& routes, std::function<void(std::int64_t)> take_in = {});
    ~message_queue();

    // Sends a message. The caller has checked rank and length. Outside of handlers it may suspend
    // while more bytes wait in ordinary memory than may; this is no cancellation point. Throws
    // bad_alloc.
    void send(unsigned rank, message_header header, const void* data) {
        outbox& to = outboxes_[rank];
        const auto need = static_cast<std::uint32_t>(framed(header.bytes));
        if (need > small_) {
            send_alone(to, need, header, data);
            return;
        }
        const std::lock_guard hold(to.lock);
        if (to.packet.capacity - to.packet.used < need) {
            start_packet(to, need);
        }
        write_message(to.packet.payload + to.packet.used, header, data);
        to.packet.used += need;
        to.packet.fetch_ahead(need);
        add_one(to.sent);
        if ((++to.packet.messages & 7) == 0) {
            commit_if_late(to);
        }
    }

    // Runs up to `max` messages, and returns how many. Throws what leaves a handler.
    std::size_t extract(std::size_t max);
    // Send off the packets that are being filled: all of them, or those that are delay_ns old.
    void flush();
    void flush_late();
    // Called by threads that wait. Takes packets that have come out of the rings, and keeps them.
    void drain() noexcept;
    // Copies packets that have come by pull out of their senders' windows, so that the senders have
    // space again. Does nothing while another thread delivers or receives: that thread takes them.
    void drain_pulled() noexcept;
    // Called after an epoch. Gives memory that no packet uses back to the system.
    void shrink();
    void retry();
    // Waits until the handler that runs has returned. Must not be called in a handler.
    void await_handler() noexcept;

    std::uint64_t sent() const noexcept;
    std::uint64_t delivered() const noexcept {
        return delivered_.load(std::memory_order_acquire);  // pairs with: deliver_one(), store
    }
    concert_counters counters();
    const concert_options& options() const noexcept { return options_; }
    bool has_far_peers() const noexcept;

private:
    struct alignas(base::cache_line) outbox {
        spin_lock lock;
        bool locks_itself = false;
        unsigned peer = 0;
        channel* via = nullptr;
        open_packet packet;
        std::int64_t opened_ns = 0;
        channel::message_count sent{0};
    };
    struct kept_packet {
        packet_store::memory payload;
        packet_facts facts;
    };
    // The packet that is being delivered.
    struct cursor {
        packet_view packet;
        std::uint32_t offset = 0;
        std::uint32_t left = 0;
        packet_store::memory kept;  // the packet's memory, if the packet was kept
    };

    // Sends a message as a packet of its own, behind what was collected before. If nothing is ever
    // collected (small_ is 0), the lock of a channel that locks itself is enough.
    void send_alone(outbox& to, std::uint32_t need, message_header header, const void* data) {
        const packet_facts facts{need, self_, 0, epoch_.load(std::memory_order_relaxed), 1};
        bool has_put_off = false;
        if (small_ == 0 && to.locks_itself) {
            has_put_off = to.via->send_alone(to.peer, facts, header, data, to.sent);
        } else {
            const std::lock_guard hold(to.lock);
            if (to.packet.payload != nullptr) {
                commit(to);
            }
            has_put_off = to.via->send_alone(to.peer, facts, header, data, to.sent);
        }
        if (has_put_off) LAZULT_UNLIKELY {
            wait_while_crowded(*to.via);
        }
    }
    // The caller holds the outbox's lock. The function may release the lock and take it again.
    void start_packet(outbox& to, std::uint32_t need);
    void wait_while_crowded(channel& via) noexcept;
    void commit(outbox& to) noexcept;
    void commit_if_late(outbox& to);
    void note_open_time(outbox& to);
    void set_oldest_open(std::int64_t ns) noexcept;
    bool next_packet();
    bool take_ready();
    static packet_view receive(channel& from, std::vector<std::byte>& into) noexcept;
    bool take_from(channel& c, std::uint32_t epoch);
    void begin(packet_view packet);
    std::size_t deliver(std::size_t max);
    void deliver_one();
    std::uint32_t admit_early() noexcept;
    static bool is_early(const packet_facts& facts, std::uint32_t epoch) noexcept;
    void keep(std::list<kept_packet>& in, const packet_view& packet) noexcept;
    void keep_rest_of_current() noexcept;
    void keep_all_from(channel& from, std::uint32_t epoch) noexcept;
    void warn_of_kept(std::size_t more) noexcept;

    concert_options options_;
    std::uint16_t self_;
    std::uint32_t small_;  // messages of up to so many bytes, with their header, are collected
    const handler_table& handlers_;
    const epoch_word& epoch_;
    std::vector<std::unique_ptr<channel>> channels_;
    std::vector<outbox> outboxes_;
    ds::default_atomics::atomic<std::int64_t> oldest_open_{0};

    std::function<void(std::int64_t)> take_in_;

    alignas(base::cache_line) spin_lock receiving_;
    packet_store store_;
    std::size_t pulled_bytes_ = 0;  // kept by drain_pulled() since ready_ was empty
    std::list<kept_packet> ready_;
    std::list<kept_packet> early_;
    std::vector<std::byte> buffer_;
    std::vector<std::byte> drain_buffer_;
    std::size_t next_channel_ = 0;

    alignas(base::cache_line) spin_lock delivering_;
    cursor cursor_;
    ds::default_atomics::atomic<std::uint64_t> delivered_{0};
};

// Returns true if the calling OS thread runs a handler.
bool in_handler() noexcept;

}  // namespace lazult::concert
