// SPDX-License-Identifier: BSD-3-Clause
// The memory under the queues within a node. Each process maps the segments of all ranks of the
// node, and the words in them are atomics.
//
// word                      | written by               | read by    | order
// tail (unit 0)             | senders, receiver: swap  | the swaps  | acq_rel: a sender stores into
//                           |                          |            | the next word of what it got
//                           |                          |            | only after its owner has
//                           |                          |            | reset that word
// next (of a block, a stub) | owner: reset             | receiver   | reset: relaxed, the owner's
//                           |                          |            | swap publishes it
//                           | swapper that got it      | receiver   | release / acquire: publishes
//                           |                          |            | the successor
// released_by (unit 2 + r)  | receiver r               | its owner  | release / acquire: the
//                           |                          |            | receiver has read the packets
// ticket counter (unit 0)   | senders: add             | the adds   | relaxed: the number publishes
//                           |                          |            | nothing
// stamp (of a slot)         | the ticket's owner       | receiver   | release / acquire: publishes
//                           |                          |            | what is in the slot
// head (unit 1)             | receiver                 | senders    | release / acquire: the
//                           |                          |            | receiver has read the slots
// the rest of a packet      | its sender               | receiver   | plain: next and stamp publish
//                           |                          |            | it
#pragma once

#include "memory/pages.hpp"
#include "memory/segment.hpp"

#include "lazult/arch/arch.hpp"
#include "lazult/ds/ds.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace lazult::concert {

template <class Atomics = ds::default_atomics>
class node_memory {
public:
    using word = typename Atomics::template atomic<std::uint64_t>;
    static_assert(sizeof(word) <= word_bytes);

    static constexpr bool is_in_place = true;
    static constexpr std::uint64_t releases_at_once = 1;  // publishing a count is one store

    struct fetched {
        packet_view packet;
        reference next;
    };

    // `segments` are those of all ranks of the node, as this process maps them.
    node_memory(segment_shape shape, unsigned self, std::vector<std::byte*> segments)
        : shape_(shape), self_(self), segments_(std::move(segments)) {}

    // Initialises the caller's own segment. Called before any rank uses the segment.
    void initialise() {
        make_word(shape_.counter());
        make_word(shape_.head());
        if (shape_.ring.slots != 0) {
            for (std::uint32_t slot = 0; slot < shape_.ring.slots; ++slot) {
                make_word(shape_.slot(slot));
            }
            return;
        }
        for (unsigned receiver = 0; receiver < shape_.peers; ++receiver) {
            make_word(shape_.released_by(receiver));
        }
        make_word(shape_.stub());
        // pairs with: nothing: other ranks use the segment later
        at(self_, shape_.counter())
            .store(refer::to(self_, shape_.stub(), 1), std::memory_order_relaxed);
    }

    // --- for queues/pull_queue.hpp: packets stay in their senders' segments
    std::uint32_t first_block() const noexcept { return shape_.first_block(); }
    std::uint32_t stub() const noexcept { return shape_.stub(); }
    void make_block(std::uint32_t unit) { make_word(unit); }
    std::byte* payload(std::uint32_t unit) noexcept {
        return address_of(self_, unit) + packet_prefix;
    }
    std::byte* facts(std::uint32_t unit) noexcept { return address_of(self_, unit) + word_bytes; }

    // Functions that do nothing but prefetch are always inlined: gcc takes such a function for one
    // without effects, and leaves out a call of it.
    LAZULT_ALWAYS_INLINE void prefetch(std::uint32_t unit) const noexcept {
        arch::prefetch_for_write(address_of(self_, unit));
    }
    void give_back(std::uint32_t from, std::uint32_t to) noexcept {
        give_back_pages(address_of(self_, from), std::size_t{to - from} * unit_bytes);
    }

    void reset_next(std::uint32_t unit) {
        // pairs with: the owner's swap_tail() publishes it
        at(self_, unit).store(0, std::memory_order_relaxed);
    }
    reference swap_tail(unsigned receiver, reference r) {
        // Release, pairs with: itself in the next swap, which stores into the next word that was
        // reset before. Acquire, pairs with: itself in the swap before.
        return at(receiver, shape_.counter()).exchange(r, std::memory_order_acq_rel);
    }
    void link(reference previous, reference r) {
        // pairs with: next_of()
        at(refer::rank(previous), refer::unit(previous)).store(r, std::memory_order_release);
    }
    reference next_of(reference r) {
        // pairs with: link()
        return at(refer::rank(r), refer::unit(r)).load(std::memory_order_acquire);
    }
    fetched fetch(reference r) noexcept {
        const std::byte* const packet = address_of(refer::rank(r), refer::unit(r));
        packet_view view{packet + packet_prefix, {}};
        std::memcpy(&view.facts, packet + word_bytes, sizeof view.facts);
        return {view, next_of(r)};
    }
    // Fetches the first lines of the packet that is read next from its sender's cache. Each line is
    // a unit.
    LAZULT_ALWAYS_INLINE void expect(reference r) const noexcept {
        const std::byte* const packet = address_of(refer::rank(r), refer::unit(r));
        const std::uint32_t lines = std::min(refer::units(r), most_lines_ahead);
        for (std::uint32_t line = 0; line < lines; ++line) {
            __builtin_prefetch(packet + line * unit_bytes);
        }
    }
    void publish_released(unsigned sender, std::uint64_t count) {
        // pairs with: released_by()
        at(sender, shape_.released_by(self_)).store(count, std::memory_order_release);
    }
    std::uint64_t released_by(unsigned receiver) {
        // pairs with: publish_released()
        return at(self_, shape_.released_by(receiver)).load(std::memory_order_acquire);
    }

    // --- for queues/push_queue.hpp: senders write packets into the receiver's ring of slots
    std::uint64_t take_tickets(unsigned receiver, std::uint32_t count) {
        // relaxed: head and stamps order what is in the slots
        return at(receiver, shape_.counter()).fetch_add(count, std::memory_order_relaxed);
    }
    void put(unsigned receiver, std::uint32_t slot, const std::byte* from,
             std::size_t bytes) noexcept {
        std::memcpy(slot_of(receiver, slot), from, bytes);
    }
    std::byte* slot_of(unsigned receiver, std::uint32_t slot) noexcept {
        return address_of(receiver, shape_.slot(slot)) + word_bytes;
    }
    LAZULT_ALWAYS_INLINE void prefetch(unsigned receiver, std::uint32_t slot) const noexcept {
        arch::prefetch_for_write(address_of(receiver, shape_.slot(slot)));
    }
    void stamp(unsigned receiver, std::uint32_t slot, std::uint64_t value) {
        // pairs with: stamp_of()
        at(receiver, shape_.slot(slot)).store(value, std::memory_order_release);
    }
    std::uint64_t stamp_of(std::uint32_t slot) {
        // pairs with: stamp()
        return at(self_, shape_.slot(slot)).load(std::memory_order_acquire);
    }
    const std::byte* slot_data(std::uint32_t slot) noexcept {
        return address_of(self_, shape_.slot(slot)) + word_bytes;
    }
    void publish_head(std::uint64_t head) {
        // pairs with: head_of()
        at(self_, shape_.head()).store(head, std::memory_order_release);
    }
    std::uint64_t head_of(unsigned receiver) {
        // pairs with: publish_head()
        return at(receiver, shape_.head()).load(std::memory_order_acquire);
    }

private:
    std::byte* address_of(unsigned rank, std::uint32_t unit) const noexcept {
        return segments_[rank] + std::size_t{unit} * unit_bytes;
    }
    word& at(unsigned rank, std::uint32_t unit) const noexcept {
        return *std::launder(reinterpret_cast<word*>(address_of(rank, unit)));
    }
    void make_word(std::uint32_t unit) { ::new (address_of(self_, unit)) word(0); }

    // As many lines as a processor fetches at a time without waiting.
    static constexpr std::uint32_t most_lines_ahead = 8;

    segment_shape shape_;
    unsigned self_;
    std::vector<std::byte*> segments_;
};

}  // namespace lazult::concert
