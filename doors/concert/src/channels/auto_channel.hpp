// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "channels/pull_channel.hpp"
#include "channels/push_channel.hpp"
#include "queues/auto_queue.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace lazult::concert {

// A channel that moves each packet by push or by pull, as auto_queue.hpp says. Each way has a
// window of its own. Calls for one peer come one at a time; pull's own lock is for what its peers
// share. No call waits for another rank: push finds its slots free, and pull puts off what has no
// space.
template <class Memory>
class auto_channel final : public channel {
public:
    // The first two are as for a push_channel, the next four as for a pull_channel. `sources`: how
    // many ranks there are in the world.
    auto_channel(Memory push_memory, segment_shape push_shape, Memory pull_memory,
                 segment_shape pull_shape, unsigned self, std::size_t longest,
                 std::size_t most_waiting, unsigned sources, std::function<void()> meanwhile)
        : chooser_memory_(push_memory),
          push_(std::move(push_memory), push_shape, std::move(meanwhile)),
          pull_(std::move(pull_memory), pull_shape, self, longest, most_waiting),
          chooser_(chooser_memory_, push_shape.ring, push_shape.peers),
          ways_(sources),
          refused_(push_shape.peers) {}

    bool is_far() const noexcept override { return push_.is_far(); }
    bool is_pull() const noexcept override { return true; }

    // The way is settled here, and commit() finds it open still: until then the pair sends nothing
    // else, and a receiver only makes room.
    void open(unsigned peer, open_packet& packet, std::uint32_t bytes) override {
        if (chooses_push(peer, push_.fits_one_slot(bytes))) LAZULT_LIKELY {
            push_.open(peer, packet, bytes);
            packet.goes_by_push = true;
            return;
        }
        pull_.open(peer, packet, bytes);
        packet.pushed = chooser_.pushed(peer);
    }

    void commit(unsigned peer, open_packet& filled, std::uint16_t source,
                std::uint32_t epoch) override {
        if (filled.goes_by_push) LAZULT_LIKELY {
            chooser_.note_pushed(peer, push_.push(peer, filled, source, epoch));
        } else {
            pull_.commit(peer, filled, source, epoch);
        }
    }

    bool send_alone(unsigned peer, const packet_facts& facts, message_header header,
                    const void* data, message_count& sent) override {
        const bool fits = facts.bytes <= most_pushed_bytes && push_.fits_one_slot(facts.bytes);
        if (chooses_push(peer, fits)) LAZULT_LIKELY {
            chooser_.note_pushed(peer, push_.push_alone(peer, facts, header, data, sent));
            return false;
        }
        packet_facts pulled = facts;
        pulled.pushed = chooser_.pushed(peer);
        return pull_.send_alone(peer, pulled, header, data, sent);
    }

    packet_view receive(std::vector<std::byte>& into) override {
        return ways_.next([&] { return push_.receive(into); }, [&] { return pull_.receive(); });
    }

    void retry() override { pull_.retry(); }
    bool is_crowded() const noexcept override { return pull_.is_crowded(); }
    void shrink() override { pull_.shrink(); }

    channel_counters counters() override {
        channel_counters sum = pull_.counters();
        sum.packets += push_.counters().packets;
        for (const message_count& each : refused_) {
            // pairs with: add_one(): a number
            sum.waits += each.load(std::memory_order_relaxed);
        }
        return sum;
    }

private:
    // A longer message that goes alone costs less by pull, which copies it once less.
    static constexpr auto most_pushed_bytes = static_cast<std::uint32_t>(framed(512));

    bool chooses_push(unsigned peer, bool fits) {
        const auto has_released_all = [&] { return pull_.has_released_all(peer); };
        if (chooser_.chooses_push(peer, fits, has_released_all)) LAZULT_LIKELY {
            return true;
        }
        if (fits) {
            add_one(refused_[peer]);
        }
        return false;
    }

    Memory chooser_memory_;  // reads heads of rings
    push_channel<Memory> push_;
    pull_channel<Memory> pull_;
    way_chooser<Memory> chooser_;
    two_ways ways_;
    std::vector<message_count> refused_;  // packets that fit into a slot, and went by pull
};

}  // namespace lazult::concert
