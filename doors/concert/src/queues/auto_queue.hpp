// SPDX-License-Identifier: BSD-3-Clause
// Messaging that chooses for each packet between push (push_queue.hpp) and pull (pull_queue.hpp).
// A receiver has a ring for the one and a distributed queue for the other. A packet goes by push
// while the sender has room in its share of the receiver's ring, and by pull otherwise. So it has
// push's shorter way while the receiver keeps up, and no sender waits for a receiver.
//
// Push never waits: each of n senders has at most 1/n of the ring's slots under way. So there are
// fewer tickets under way than slots, and the slot of a new ticket is free.
//
// The packets of one sender to one receiver are received in the order in which they were sent,
// whichever way each goes. The way of such a pair, at its sender, under the pair's lock:
//   push -> pull   at any time. A packet that goes by pull says how many the pair has pushed
//                  before, modulo 2^16. The receiver counts what each sender has pushed, and holds
//                  the packet back until it has received so many. The pair pushes nothing while the
//                  packet is under way, so the count does not pass that number; and it is behind
//                  it by no more than the sender's share, which is below 2^16. So the numbers are
//                  equal only when they are equal modulo 2^16.
//   pull -> push   when the receiver has released all that the pair has sent by pull, because it
//                  has received these packets then
// A receiver that holds a packet back goes on to empty its ring, and needs no sender for that but
// those that have a ticket and are about to use it.
//
// What is written here adds no word that ranks share, and so no order: the two queues below have
// these.
#pragma once

#include "queues/push_queue.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace lazult::concert {

// A sender's choice. Calls for one receiver come one at a time.
template <class Memory>
class way_chooser {
public:
    // The memory is that of the push queue.
    way_chooser(Memory& memory, ring_shape shape, unsigned peers)
        : memory_(memory),
          share_(peers > shape.slots
                     ? 0
                     : std::bit_floor(std::min<std::uint64_t>(shape.slots / peers, most_share))),
          pairs_(peers) {
        for (pair& each : pairs_) {
            each.tickets.resize(share_);
        }
    }

    // Returns true if the next packet to the receiver goes by push. Then the caller pushes it, and
    // calls note_pushed(). has_released_all() must say whether the receiver has released all
    // packets that went to it by pull.
    template <class HasReleasedAll>
    bool chooses_push(unsigned receiver, bool fits_one_slot, HasReleasedAll&& has_released_all) {
        pair& p = pairs_[receiver];
        if (!fits_one_slot || (p.is_pulled && !has_released_all())) {
            p.is_pulled = true;
            return false;
        }
        p.is_pulled = !has_room(receiver, p);
        return !p.is_pulled;
    }
    void note_pushed(unsigned receiver, std::uint64_t ticket) noexcept {
        pair& p = pairs_[receiver];
        p.tickets[p.pushed++ & (share_ - 1)] = ticket;
    }
    // What a packet that goes by pull says.
    std::uint16_t pushed(unsigned receiver) const noexcept {
        return static_cast<std::uint16_t>(pairs_[receiver].pushed);
    }
    std::uint64_t share() const noexcept { return share_; }

private:
    static constexpr std::uint64_t most_share = 1U << 15;

    struct pair {
        std::vector<std::uint64_t> tickets;  // those that the receiver may not have emptied
        std::uint64_t pushed = 0;
        std::uint64_t emptied = 0;
        bool is_pulled = false;
    };

    bool has_room(unsigned receiver, pair& p) {
        if (p.pushed - p.emptied < share_) LAZULT_LIKELY {
            return true;
        }
        if (share_ == 0) {
            return false;
        }
        const std::uint64_t head = memory_.head_of(receiver);
        while (p.emptied != p.pushed && p.tickets[p.emptied & (share_ - 1)] < head) {
            ++p.emptied;
        }
        return p.pushed - p.emptied < share_;
    }

    Memory& memory_;
    std::uint64_t share_;  // a power of two, or 0 if there are more ranks than slots
    std::vector<pair> pairs_;
};

// A receiver's view of the two ways as one. One thread at a time uses it.
class two_ways {
public:
    // `sources`: how many numbers of senders there are.
    explicit two_ways(unsigned sources) : received_(sources) {}

    // Returns the next packet, or none. by_push() and by_pull() return the next packet of each way,
    // or none. A pulled packet is valid until the next call of by_pull().
    template <class ByPush, class ByPull>
    packet_view next(ByPush&& by_push, ByPull&& by_pull) {
        if (++looks_ % looks_to_pull_first == 0) {
            if (const packet_view pulled = next_pulled(by_pull)) {
                return pulled;
            }
        }
        if (const packet_view pushed = by_push()) {
            ++received_[pushed.facts.source];
            return pushed;
        }
        return next_pulled(by_pull);
    }

private:
    // Every so often what was pulled goes first, because a ring that is never empty would keep it
    // back for ever.
    static constexpr unsigned looks_to_pull_first = 8;

    template <class ByPull>
    packet_view next_pulled(ByPull&& by_pull) {
        if (!held_back_) {
            held_back_ = by_pull();
        }
        if (!held_back_ || received_[held_back_.facts.source] != held_back_.facts.pushed) {
            return {};
        }
        return std::exchange(held_back_, {});
    }

    std::vector<std::uint16_t> received_;  // by push, of each sender
    packet_view held_back_;
    unsigned looks_ = 0;
};

}  // namespace lazult::concert
