// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "channels/channel.hpp"
#include "memory/segment.hpp"
#include "queues/pull_queue.hpp"
#include "support/packet_store.hpp"
#include "support/spin_lock.hpp"

#include "lazult/sched/sched.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace lazult::concert {

// A channel that moves packets by pull. While the whole window is under way, packets wait in the
// sender's ordinary memory, in their order, and follow when blocks come back. So the sender itself
// waits only if more bytes wait than are allowed.
template <class Memory>
class pull_channel final : public channel {
public:
    // `longest`: most bytes of messages in a packet. `most_waiting`: how many bytes may wait in
    // ordinary memory before is_crowded() returns true; 0: any number.
    pull_channel(Memory memory, segment_shape shape, unsigned self, std::size_t longest,
                 std::size_t most_waiting = 0)
        : memory_(std::move(memory)),
          sender_(memory_, self, shape.peers, shape.units, units_for(longest)),
          receiver_(memory_, self, shape.peers),
          backlog_(shape.peers),
          most_waiting_(most_waiting),
          far_(!Memory::is_in_place) {}
    ~pull_channel() override {
        if (put_off_count_.load(std::memory_order_relaxed) !=
            0) {  // relaxed: no thread sends any more
            sched::expect_events(-1);
        }
    }

    bool is_far() const noexcept override { return far_; }
    bool is_pull() const noexcept override { return true; }
    bool locks_itself() const noexcept override { return true; }

    void open(unsigned peer, open_packet& packet, std::uint32_t bytes) override {
        const std::lock_guard hold(lock_);
        if (backlog_[peer].empty()) LAZULT_LIKELY {
            if (const block got = take(peer, bytes)) LAZULT_LIKELY {
                packet = {memory_.payload(got.unit), capacity_of(got), 0, 0, got};
                return;
            }
        }
        packet = {store_.cut(bytes).release(), bytes, 0, 0, {}};
    }

    void commit(unsigned peer, open_packet& filled, std::uint16_t source,
                std::uint32_t epoch) override {
        const open_packet packet = std::exchange(filled, {});
        const packet_facts facts{packet.used, source, packet.pushed, epoch, packet.messages};
        const std::lock_guard hold(lock_);
        ++counters_.packets;
        if (packet.where && backlog_[peer].empty()) LAZULT_LIKELY {
            publish(peer, packet.where, facts);
        } else {
            put_off(peer, packet, facts);
        }
    }

    bool send_alone(unsigned peer, const packet_facts& facts, message_header header,
                    const void* data, message_count& sent) override {
        const std::lock_guard hold(lock_);
        if (backlog_[peer].empty()) LAZULT_LIKELY {
            if (const block got = take(peer, facts.bytes)) LAZULT_LIKELY {
                write_message(memory_.payload(got.unit), header, data);
                add_one(sent);
                ++counters_.packets;
                must_succeed([&] { publish(peer, got, facts); });
                return false;
            }
        }
        open_packet packet{store_.cut(facts.bytes).release(), facts.bytes, 0, 0, {}};
        write_message(packet.payload, header, data);
        add_one(sent);
        ++counters_.packets;
        must_succeed([&] { put_off(peer, packet, facts); });
        return true;
    }

    packet_view receive(std::vector<std::byte>&) override { return receiver_.next(); }
    packet_view receive() { return receiver_.next(); }

    // Returns true if the peer has released all packets that were sent to it.
    bool has_released_all(unsigned peer) {
        const std::lock_guard hold(lock_);
        return backlog_[peer].empty() && sender_.has_released_all(peer);
    }

    // A hint: a thread that puts a packet off then tries to send it.
    bool has_put_off() const noexcept {
        return put_off_count_.load(std::memory_order_relaxed) != 0;  // pairs with: put_off()
    }

    void retry() override {
        if (!has_put_off()) LAZULT_LIKELY {
            return;
        }
        const std::lock_guard hold(lock_);
        must_succeed([&] {
            for (unsigned peer = 0; peer < backlog_.size(); ++peer) {
                send_backlog(peer);
            }
        });
    }

    bool is_crowded() const noexcept override {
        // pairs with: put_off(), send_backlog(): a number
        return most_waiting_ != 0 && waiting_bytes_.load(std::memory_order_relaxed) > most_waiting_;
    }

    // Shrinks the window at most once a second, because giving pages back costs more than it gains
    // if the program soon needs them again.
    void shrink() override {
        constexpr std::size_t worth_it = std::size_t{1} << 20;
        constexpr std::int64_t pause_ns = 1'000'000'000;
        const std::lock_guard hold(lock_);
        if (sender_.bytes_touched() < worth_it) {
            return;
        }
        const std::int64_t now = os::now_ns();
        if (shrunk_ns_ != 0 && now - shrunk_ns_ < pause_ns) {
            return;
        }
        must_succeed([&] { shrunk_ns_ = sender_.shrink() ? now : shrunk_ns_; });
    }

    channel_counters counters() override {
        const std::lock_guard hold(lock_);
        counters_.window_bytes = sender_.bytes_touched();
        return counters_;
    }

private:
    struct waiting_packet {
        packet_store::memory payload;  // none: the payload is in `where`
        block where;
        packet_facts facts;
        std::uint64_t number;  // how many packets were put off before
    };

    static std::uint32_t capacity_of(block b) noexcept {
        return static_cast<std::uint32_t>(b.units() * unit_bytes - packet_prefix);
    }

    // Takes a block that is too large only if no packet waits: a longer packet may wait for it.
    block take(unsigned peer, std::uint32_t bytes) {
        // relaxed: it changes under lock_
        const bool is_nobody_waiting = put_off_count_.load(std::memory_order_relaxed) == 0;
        return sender_.take(peer, units_for(bytes), is_nobody_waiting);
    }
    // Returns true if no packet was put off before this one. Only the oldest packet may take a
    // block that is too large. Every packet gets a block in the end, because it becomes the oldest.
    bool is_oldest(const waiting_packet& packet) const noexcept {
        return std::none_of(backlog_.begin(), backlog_.end(),
                            [&](const std::deque<waiting_packet>& each) {
                                return !each.empty() && each.front().number < packet.number;
                            });
    }

    void publish(unsigned peer, block where, const packet_facts& facts) {
        std::memcpy(memory_.facts(where.unit), &facts, sizeof facts);
        sender_.publish(peer, where, units_for(facts.bytes));
    }

    LAZULT_COLD void put_off(unsigned peer, const open_packet& packet, const packet_facts& facts) {
        packet_store::memory payload(packet.where ? nullptr : packet.payload);
        counters_.backlogged += 1;
        note_waiting(payload != nullptr ? facts.bytes : 0);
        backlog_[peer].push_back({std::move(payload), packet.where, facts, next_number_++});
        // pairs with: has_put_off(), in retry(), which idle streams call while packets wait
        if (put_off_count_.fetch_add(1, std::memory_order_relaxed) == 0) {
            sched::expect_events(+1);
        }
        send_backlog(peer);
    }

    void send_backlog(unsigned peer) {
        while (!backlog_[peer].empty()) {
            waiting_packet& oldest = backlog_[peer].front();
            if (!oldest.where) {
                oldest.where = sender_.take(peer, units_for(oldest.facts.bytes), is_oldest(oldest));
                if (!oldest.where) {
                    return;
                }
                std::memcpy(memory_.payload(oldest.where.unit), oldest.payload.get(),
                            oldest.facts.bytes);
                note_waiting(-std::int64_t{oldest.facts.bytes});
            }
            publish(peer, oldest.where, oldest.facts);
            backlog_[peer].pop_front();
            // pairs with: has_put_off()
            if (put_off_count_.fetch_sub(1, std::memory_order_relaxed) == 1) {
                sched::expect_events(-1);
            }
        }
    }

    // Adds to the bytes that wait in ordinary memory. The caller holds lock_.
    void note_waiting(std::int64_t more) noexcept {
        const std::uint64_t before =
            waiting_bytes_.load(std::memory_order_relaxed);  // pairs with: is_crowded()
        waiting_bytes_.store(before + static_cast<std::uint64_t>(more), std::memory_order_relaxed);
    }

    Memory memory_;
    spin_lock lock_;  // protects the pool, the store, the backlog and the counters
    packet_store store_;
    pull_sender<Memory> sender_;
    pull_receiver<Memory> receiver_;
    std::vector<std::deque<waiting_packet>> backlog_;
    ds::default_atomics::atomic<std::uint64_t> put_off_count_{0};
    std::uint64_t next_number_ = 0;
    std::size_t most_waiting_;
    message_count waiting_bytes_{0};
    std::int64_t shrunk_ns_ = 0;
    channel_counters counters_;
    bool far_;
};

}  // namespace lazult::concert
