// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "channel.hpp"
#include "push_queue.hpp"
#include "segment.hpp"
#include "spin_lock.hpp"

#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace lazult::concert {

template <class Memory>
class push_channel final : public channel {
public:
    // `meanwhile`: what to do while a slot is full; it empties the caller's own rings.
    push_channel(Memory memory, segment_shape shape, std::function<void()> meanwhile)
        : memory_(std::move(memory)),
          sender_(memory_, shape.ring, shape.peers),
          receiver_(memory_, shape.ring),
          outgoing_(shape.peers),
          meanwhile_(std::move(meanwhile)),
          far_(Memory::releases_at_once > 1) {}

    bool is_far() const noexcept override { return far_; }
    bool is_pull() const noexcept override { return false; }

    void open(unsigned peer, open_packet& packet, std::uint32_t bytes) override {
        buffer& b = outgoing_[peer];
        if (b.bytes < bytes) {
            b.data.reset(new std::byte[sizeof(packet_facts) + bytes]);
            b.bytes = bytes;
        }
        packet = {b.data.get() + sizeof(packet_facts), b.bytes, 0, 0, {}};
    }

    void commit(unsigned peer, open_packet& filled, std::uint32_t source, std::uint32_t epoch) override {
        const open_packet packet = std::exchange(filled, {});
        const packet_facts facts{packet.used, source, epoch, packet.messages};
        std::byte* const whole = packet.payload - sizeof facts;
        std::memcpy(whole, &facts, sizeof facts);
        unsigned looks = 0;
        sender_.send(peer, whole, sizeof facts + packet.used, [&] {
            meanwhile_();
            // The receiver may want this very processor.
            if (++looks % looks_per_yield == 0) {
                os::yield_thread();
            }
        });
        packets_.fetch_add(1, std::memory_order_relaxed);  // pairs with: counters(): a number
        if (looks != 0) {
            waits_.fetch_add(1, std::memory_order_relaxed);  // pairs with: counters(): a number
        }
    }

    // Copied, so that the slots are free at once: a handler that waits for a slot elsewhere must hold up nobody.
    packet_view receive(std::vector<std::byte>& into) override {
        packet_view view;
        receiver_.receive([&](const packet_facts& facts) {
            if (into.size() < facts.bytes) {
                into.resize(facts.bytes * std::size_t{2});
            }
            view = {into.data(), facts};
            return into.data();
        });
        return view;
    }

    void retry() override {}

    channel_counters counters() override {
        // pairs with: commit(): numbers
        return {packets_.load(std::memory_order_relaxed), waits_.load(std::memory_order_relaxed), 0, 0};
    }

private:
    static constexpr unsigned looks_per_yield = 4;

    struct buffer {
        std::unique_ptr<std::byte[]> data;
        std::uint32_t bytes = 0;
    };

    Memory memory_;
    push_sender<Memory> sender_;
    push_receiver<Memory> receiver_;
    std::vector<buffer> outgoing_;
    std::function<void()> meanwhile_;
    ds::default_atomics::atomic<std::uint64_t> packets_{0};
    ds::default_atomics::atomic<std::uint64_t> waits_{0};
    bool far_;
};

}  // namespace lazult::concert
