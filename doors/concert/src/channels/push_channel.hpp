// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "channels/channel.hpp"
#include "memory/segment.hpp"
#include "support/spin_lock.hpp"

#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace lazult::concert {

template <class Memory>
class push_channel final : public channel {
public:
    // `meanwhile` is called while a slot is full, and must empty the caller's own rings.
    push_channel(Memory memory, segment_shape shape, std::function<void()> meanwhile)
        : memory_(std::move(memory)),
          sender_(memory_, shape.ring, shape.peers),
          receiver_(memory_, shape.ring),
          outgoing_(shape.peers),
          meanwhile_(std::move(meanwhile)),
          far_(!Memory::is_in_place) {}

    bool is_far() const noexcept override { return far_; }
    bool is_pull() const noexcept override { return false; }

    void open(unsigned peer, open_packet& packet, std::uint32_t bytes) override {
        destination& b = outgoing_[peer];
        if (b.bytes < bytes) {
            b.data.reset(new std::byte[sizeof(packet_facts) + bytes]);
            b.bytes = bytes;
        }
        packet = {b.data.get() + sizeof(packet_facts), b.bytes, 0, 0, {}};
    }

    void commit(unsigned peer, open_packet& filled, std::uint16_t source,
                std::uint32_t epoch) override {
        push(peer, filled, source, epoch);
    }
    // Sends the open packet off. Returns its last ticket.
    std::uint64_t push(unsigned peer, open_packet& filled, std::uint16_t source,
                       std::uint32_t epoch) {
        const open_packet packet = std::exchange(filled, {});
        const packet_facts facts{packet.used, source, packet.pushed, epoch, packet.messages};
        std::byte* const whole = packet.payload - sizeof facts;
        std::memcpy(whole, &facts, sizeof facts);
        waiting wait{*this};
        const std::uint64_t ticket = sender_.send(peer, whole, sizeof facts + packet.used, wait);
        count(peer, wait);
        return ticket;
    }

    bool fits_one_slot(std::size_t payload) const noexcept {
        return sender_.fits_one_slot(payload);
    }

    // Returns false always: a push channel waits for a slot and never puts a message off.
    bool send_alone(unsigned peer, const packet_facts& facts, message_header header,
                    const void* data, message_count& sent) override {
        push_alone(peer, facts, header, data, sent);
        return false;
    }
    // Sends one message. Returns its last ticket.
    std::uint64_t push_alone(unsigned peer, const packet_facts& facts, message_header header,
                             const void* data, message_count& sent) {
        if constexpr (Memory::is_in_place) {
            if (sender_.fits_one_slot(facts.bytes)) LAZULT_LIKELY {
                add_one(sent);
                waiting wait{*this};
                const std::uint64_t ticket = sender_.send_alone(peer, facts, header, data, wait);
                count(peer, wait);
                return ticket;
            }
        }
        open_packet packet;
        open(peer, packet, facts.bytes);
        add_one(sent);
        write_message(packet.payload, header, data);
        packet.used = facts.bytes;
        packet.messages = 1;
        return push(peer, packet, facts.source, facts.epoch);
    }

    // Copies the packet, so that its slots are free at once. Otherwise a handler of this packet
    // that waits for a slot elsewhere would hold up senders to this rank.
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
        channel_counters sum;
        for (const destination& each : outgoing_) {
            // pairs with: count(): numbers
            sum.packets += each.packets.load(std::memory_order_relaxed);
            sum.waits += each.waits.load(std::memory_order_relaxed);
        }
        return sum;
    }

private:
    static constexpr unsigned looks_per_yield = 4;

    struct destination {
        std::unique_ptr<std::byte[]> data;
        std::uint32_t bytes = 0;
        message_count packets{0};
        message_count waits{0};
    };
    struct waiting {
        push_channel& channel;
        unsigned looks = 0;

        LAZULT_COLD void operator()() {
            channel.meanwhile_();
            // The receiver may be waiting for this processor.
            if (++looks % looks_per_yield == 0) {
                os::yield_thread();
            }
        }
    };

    void count(unsigned peer, const waiting& wait) noexcept {
        add_one(outgoing_[peer].packets);
        if (wait.looks != 0) {
            add_one(outgoing_[peer].waits);
        }
    }

    Memory memory_;
    push_sender<Memory> sender_;
    push_receiver<Memory> receiver_;
    std::vector<destination> outgoing_;
    std::function<void()> meanwhile_;
    bool far_;
};

}  // namespace lazult::concert
