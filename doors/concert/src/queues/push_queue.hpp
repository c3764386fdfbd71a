// SPDX-License-Identifier: BSD-3-Clause
// Push messaging: a ring of slots at the receiver. A sender adds to the receiver's ticket counter,
// puts the packet into the slots of its tickets, and stamps each slot. It waits for slots that the
// receiver has not emptied. So push becomes slow where many ranks send to one; pull does not. A
// sender that waits must empty its own ring meanwhile, or full rings wait for each other.
//
// Source: section 4.1.2 (fetch-and-increment) of what pull_queue.hpp names. Not from there are
// several slots for a long packet, and a count of emptied slots in place of a flag in each.
//
// A slot's stamp:  anything -> ticket + 1, by the ticket's owner, when the slot's content is
// complete. Slot t mod n belongs to ticket t from the moment when the head passes t - n until the
// head passes t.
//
// Memory is node_memory or far_memory, and must give:
//   take_tickets(receiver, n)  atomic
//   put(receiver, slot, at, bytes)
//   slot_of(receiver, slot)    the slot's address, if the memory is in place
//   stamp(receiver, slot, t)   release: publishes what was put
//   stamp_of(slot)             acquire, of the caller's own ring
//   publish_head(t)            release; head_of(receiver): acquire
#pragma once

#include "queues/packet.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace lazult::concert {

struct ring_shape {
    std::uint32_t slots = 0;
    std::uint32_t slot_bytes = 0;  // with the stamp; a multiple of unit_bytes

    std::uint32_t slot_of(std::uint64_t ticket) const noexcept {
        return static_cast<std::uint32_t>(ticket % slots);
    }
    std::uint32_t data_bytes() const noexcept {
        return slot_bytes - static_cast<std::uint32_t>(word_bytes);
    }
    std::uint32_t slots_for(std::size_t payload) const noexcept {
        return static_cast<std::uint32_t>((sizeof(packet_facts) + payload + data_bytes() - 1) /
                                          data_bytes());
    }
    // A packet may take half of the ring.
    std::size_t most_payload() const noexcept {
        return std::size_t{slots / 2} * data_bytes() - sizeof(packet_facts);
    }
};

// One rank's sending side. Calls for one receiver come one at a time.
template <class Memory>
class push_sender {
public:
    push_sender(Memory& memory, ring_shape shape, unsigned peers)
        : memory_(memory), shape_(shape), known_head_(peers) {}

    // Sends a packet, facts and messages in one piece. Calls meanwhile() while a slot is full.
    // Returns the packet's last ticket.
    template <class Meanwhile>
    std::uint64_t send(unsigned receiver, const std::byte* packet, std::size_t bytes,
                       Meanwhile&& meanwhile) {
        const std::uint32_t slots = shape_.slots_for(bytes - sizeof(packet_facts));
        const std::uint64_t first = memory_.take_tickets(receiver, slots);
        for (std::uint64_t ticket = first; ticket != first + slots; ++ticket) {
            const std::size_t part = std::min<std::size_t>(bytes, shape_.data_bytes());
            while (!is_free(receiver, ticket)) {
                meanwhile();
            }
            const std::uint32_t slot = shape_.slot_of(ticket);
            memory_.put(receiver, slot, packet, part);
            memory_.stamp(receiver, slot, ticket + 1);
            packet += part;
            bytes -= part;
        }
        return first + slots - 1;
    }

    bool fits_one_slot(std::size_t payload) const noexcept {
        return sizeof(packet_facts) + payload <= shape_.data_bytes();
    }

    // Sends one message that fits in a slot, and writes it in its place there. Returns its ticket.
    template <class Meanwhile>
    std::uint64_t send_alone(unsigned receiver, const packet_facts& facts, message_header header,
                             const void* data, Meanwhile&& meanwhile) {
        const std::uint64_t ticket = memory_.take_tickets(receiver, 1);
        memory_.prefetch(receiver, shape_.slot_of(ticket + look_ahead));
        while (!is_free(receiver, ticket)) {
            meanwhile();
        }
        const std::uint32_t slot = shape_.slot_of(ticket);
        std::byte* const at = memory_.slot_of(receiver, slot);
        std::memcpy(at, &facts, sizeof facts);
        write_message(at + sizeof facts, header, data);
        memory_.stamp(receiver, slot, ticket + 1);
        return ticket;
    }

private:
    static constexpr std::uint64_t look_ahead = 6;

    bool is_free(unsigned receiver, std::uint64_t ticket) {
        if (ticket < known_head_[receiver] + shape_.slots) LAZULT_LIKELY {
            return true;
        }
        known_head_[receiver] = memory_.head_of(receiver);
        return ticket < known_head_[receiver] + shape_.slots;
    }

    Memory& memory_;
    ring_shape shape_;
    std::vector<std::uint64_t> known_head_;
};

// One rank's receiving side. One thread at a time uses it.
template <class Memory>
class push_receiver {
public:
    push_receiver(Memory& memory, ring_shape shape) : memory_(memory), shape_(shape) {}

    bool is_empty() { return memory_.stamp_of(shape_.slot_of(head_)) != head_ + 1; }

    // Copies the messages of the next packet to the address that into(facts) returns. Returns false
    // if there is no complete packet.
    template <class Into>
    bool receive(Into&& into) {
        if (is_empty()) {
            return false;
        }
        packet_facts facts;
        std::memcpy(&facts, memory_.slot_data(shape_.slot_of(head_)), sizeof facts);
        const std::uint32_t slots = shape_.slots_for(facts.bytes);
        if (slots > 1 && !are_stamped(slots)) {
            return false;
        }
        copy_out(into(facts), facts.bytes, slots);
        head_ += slots;
        memory_.publish_head(head_);
        return true;
    }

private:
    bool are_stamped(std::uint32_t slots) {
        for (std::uint64_t ticket = head_ + 1; ticket != head_ + slots; ++ticket) {
            if (memory_.stamp_of(shape_.slot_of(ticket)) != ticket + 1) {
                return false;
            }
        }
        return true;
    }

    void copy_out(std::byte* to, std::size_t bytes, std::uint32_t slots) {
        std::size_t skipped = sizeof(packet_facts);
        for (std::uint64_t ticket = head_; ticket != head_ + slots; ++ticket) {
            const std::size_t part = std::min<std::size_t>(bytes, shape_.data_bytes() - skipped);
            std::memcpy(to, memory_.slot_data(shape_.slot_of(ticket)) + skipped, part);
            to += part;
            bytes -= part;
            skipped = 0;
        }
    }

    Memory& memory_;
    ring_shape shape_;
    std::uint64_t head_ = 0;
};

}  // namespace lazult::concert
