// SPDX-License-Identifier: BSD-3-Clause
// A simulated rank's ends of the queues that ship, over ordinary memory. In front of each message
// stands when it arrives. One rank runs at a time, so a sender may write that after the queue has
// the message.
#pragma once

#include "memory/node_memory.hpp"
#include "memory/segment.hpp"
#include "queues/pull_queue.hpp"
#include "queues/push_queue.hpp"
#include "simulation/prices.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace lazult::concert {

// What stands before a message's bytes.
struct stamp {
    picoseconds arrival = never;
    std::uint64_t priced_bytes = 0;  // what the message costs as much as
};

struct letter {
    unsigned source = 0;
    bool is_call = true;  // false: bytes that the receiver throws away
    stamp when;
    std::vector<std::byte> bytes;
};

// What the memory of queues tells.
struct mail_events {
    // The receiver has emptied slots: those of tickets below `end` may be written.
    std::function<void(unsigned receiver, std::uint64_t end)> slots_are_free;
    // A receiver has released packets of this sender.
    std::function<void(unsigned sender)> blocks_are_free;
};

class mail_memory : public node_memory<> {
public:
    mail_memory(segment_shape shape, unsigned self, std::vector<std::byte*> segments,
                mail_events& events)
        : node_memory<>(shape, self, std::move(segments)),
          self_(self),
          slots_(shape.ring.slots),
          events_(events) {}

    std::uint64_t take_tickets(unsigned receiver, std::uint32_t count) {
        return ticket_ = node_memory<>::take_tickets(receiver, count);
    }
    void stamp(unsigned receiver, std::uint32_t slot, std::uint64_t value) {
        node_memory<>::stamp(receiver, slot, value);
        ticket_ = value;
    }
    void publish_head(std::uint64_t head) {
        node_memory<>::publish_head(head);
        head_ = head;
        events_.slots_are_free(self_, head + slots_);
    }
    void publish_released(unsigned sender, std::uint64_t count) {
        node_memory<>::publish_released(sender, count);
        events_.blocks_are_free(sender);
    }

    // This sender's ticket for the next slot.
    std::uint64_t ticket() const noexcept { return ticket_; }
    // Of this rank's ring.
    std::uint64_t head() const noexcept { return head_; }

private:
    unsigned self_;
    std::uint32_t slots_;
    mail_events& events_;
    std::uint64_t ticket_ = 0;
    std::uint64_t head_ = 0;
};

class mailbox {
public:
    virtual ~mailbox() = default;

    // Brings the letter to the receiver's queue. Calls `wait` while there is no place. Returns
    // where the stamp stands.
    virtual std::byte* put(unsigned receiver, const letter& what,
                           const std::function<void()>& wait) = 0;
    // When the next letter arrives: never, if none is under way.
    virtual picoseconds next_arrival() = 0;
    // Precondition: there is one.
    virtual letter take() = 0;
    // Which ticket a waiting sender needs.
    virtual std::uint64_t needed_ticket() const noexcept { return 0; }

protected:
    static message_header header_of(const letter& what) noexcept {
        return {what.is_call ? 1U : 0U,
                static_cast<std::uint32_t>(sizeof(stamp) + what.bytes.size())};
    }
    static std::size_t payload_of(const letter& what) noexcept {
        return framed(header_of(what).bytes);
    }
    static packet_facts facts_of(const letter& what) noexcept {
        return {static_cast<std::uint32_t>(payload_of(what)),
                static_cast<std::uint16_t>(what.source), 0, 0, 1};
    }
    // Writes header, stamp and bytes. Returns where the stamp stands.
    static std::byte* write(std::byte* payload, const letter& what) noexcept {
        const message_header header = header_of(what);
        std::memcpy(payload, &header, sizeof header);
        std::byte* const at = payload + sizeof header;
        std::memcpy(at, &what.when, sizeof(stamp));
        if (!what.bytes.empty()) {
            std::memcpy(at + sizeof(stamp), what.bytes.data(), what.bytes.size());
        }
        return at;
    }
    static letter read(const packet_facts& facts, const std::byte* payload) {
        message_header header;
        letter found;
        std::memcpy(&header, payload, sizeof header);
        std::memcpy(&found.when, payload + sizeof header, sizeof(stamp));
        found.source = facts.source;
        found.is_call = header.handler != 0;
        const std::byte* const bytes = payload + sizeof header + sizeof(stamp);
        found.bytes.assign(bytes, bytes + (header.bytes - sizeof(stamp)));
        return found;
    }
    static picoseconds arrival_in(const std::byte* payload) noexcept {
        stamp when;
        std::memcpy(&when, payload + sizeof(message_header), sizeof when);
        return when.arrival;
    }
};

class push_mailbox final : public mailbox {
public:
    push_mailbox(segment_shape shape, unsigned self, std::vector<std::byte*> segments,
                 mail_events& events)
        : ring_(shape.ring),
          memory_(shape, self, std::move(segments), events),
          sender_(memory_, shape.ring, shape.peers),
          receiver_(memory_, shape.ring) {
        memory_.initialise();
    }

    std::byte* put(unsigned receiver, const letter& what,
                   const std::function<void()>& wait) override {
        const packet_facts facts = facts_of(what);
        packet_.resize(sizeof facts + facts.bytes);
        std::memcpy(packet_.data(), &facts, sizeof facts);
        write(packet_.data() + sizeof facts, what);
        const std::uint64_t last = sender_.send(receiver, packet_.data(), packet_.size(), wait);
        const std::uint64_t first = last + 1 - ring_.slots_for(facts.bytes);
        return memory_.slot_of(receiver, ring_.slot_of(first)) + sizeof facts +
               sizeof(message_header);
    }
    picoseconds next_arrival() override {
        const std::uint64_t head = memory_.head();
        const std::uint32_t slot = ring_.slot_of(head);
        if (memory_.stamp_of(slot) != head + 1) {
            return never;
        }
        packet_facts facts;
        std::memcpy(&facts, memory_.slot_data(slot), sizeof facts);
        const std::uint64_t last = head + ring_.slots_for(facts.bytes) - 1;
        const bool is_whole = memory_.stamp_of(ring_.slot_of(last)) == last + 1;
        return is_whole ? arrival_in(memory_.slot_data(slot) + sizeof facts) : never;
    }
    letter take() override {
        packet_facts of;
        receiver_.receive([&](const packet_facts& facts) {
            of = facts;
            taken_.resize(facts.bytes);
            return taken_.data();
        });
        return read(of, taken_.data());
    }
    std::uint64_t needed_ticket() const noexcept override { return memory_.ticket(); }

private:
    ring_shape ring_;
    mail_memory memory_;
    push_sender<mail_memory> sender_;
    push_receiver<mail_memory> receiver_;
    std::vector<std::byte> packet_;
    std::vector<std::byte> taken_;
};

class pull_mailbox final : public mailbox {
public:
    pull_mailbox(segment_shape shape, unsigned self, std::vector<std::byte*> segments,
                 std::size_t longest, mail_events& events)
        : memory_(shape, self, std::move(segments), events),
          sender_(memory_, self, shape.peers, shape.units, units_for(longest)),
          receiver_(memory_, self, shape.peers) {
        memory_.initialise();
    }

    std::byte* put(unsigned receiver, const letter& what,
                   const std::function<void()>& wait) override {
        const packet_facts facts = facts_of(what);
        const std::uint32_t units = units_for(facts.bytes);
        block got = sender_.take(receiver, units);
        while (!got) {
            wait();
            got = sender_.take(receiver, units);
        }
        std::memcpy(memory_.facts(got.unit), &facts, sizeof facts);
        std::byte* const at = write(memory_.payload(got.unit), what);
        sender_.publish(receiver, got, units);
        return at;
    }
    picoseconds next_arrival() override {
        if (!next_) {
            next_ = receiver_.next();
        }
        return next_ ? arrival_in(next_.payload) : never;
    }
    letter take() override {
        const packet_view mine = std::exchange(next_, {});
        return read(mine.facts, mine.payload);
    }

private:
    mail_memory memory_;
    pull_sender<mail_memory> sender_;
    pull_receiver<mail_memory> receiver_;
    packet_view next_;
};

}  // namespace lazult::concert
