// SPDX-License-Identifier: BSD-3-Clause
// Pull messaging: a queue whose packets stay with their senders. A sender keeps the packet in its
// own memory, swaps a reference to the packet into the receiver's tail, and links the packet behind
// the one whose reference came out. The receiver follows the links, and takes each packet when it
// is ready for it. No rank waits for another. There is no compare-and-swap.
//
// Source: Karamcheti, Plevyak, Chien, "Runtime Mechanisms for Efficient Dynamic Multithreading",
// section 4.3. Not from there: the receiver's stub, the count by which buffers go back, and that
// buffers grow.
//
// A packet's next word:  0 -> reference of its successor: once, by the rank whose swap took the
//                        packet's reference out of the tail
// The tail:              reference of what was queued last, a packet or the receiver's stub
// The stub is an entry without data. It takes the place of the last packet, so that this packet can
// go back to its sender. The current entry is the one whose successor the receiver follows next.
//   current -> spare    the receiver steps from the stub to a packet
//   spare   -> queued   the current packet is consumed and has no successor yet, so the receiver
//                       swaps the stub into the tail. The swap returns another packet: a sender
//                       has swapped the current packet out, and links its successor
//   spare   -> current  the same swap returns the current packet. No sender can reach that packet
//                       any more, so the receiver releases it and goes on from the stub
//   queued  -> current  the receiver steps from a packet to the stub
// Packets go back to their sender by a count. A receiver consumes the packets of one sender in the
// order in which they were sent. So the number that it writes into the sender's memory says which
// packets are free.
//
// Memory is node_memory (shared within a node) or far_memory (reached by one-sided calls). These
// name the orders, and must give:
//   swap_tail(receiver, r)     atomic; the owner's reset of the result's next word happens before
//                              the return
//   link(previous, r)          release: publishes the packet r
//   next_of(r)                 acquire
//   publish_released(sender, n) release; released_by(receiver): acquire, of the caller's own memory
//   fetch(r)                   the packet, and its next word (acquire) as it was then
//   expect(r)                  begins what the next fetch(r) needs, while the caller runs handlers
#pragma once

#include "queues/packet.hpp"
#include "queues/packet_pool.hpp"

#include <cstdint>
#include <vector>

namespace lazult::concert {

// One rank's sending side. Calls for one receiver, and calls that use the pool, come one at a time.
template <class Memory>
class pull_sender {
public:
    // Cuts a block for the longest packet first, because blocks are not joined again. So a long
    // packet always has a block that it can wait for.
    pull_sender(Memory& memory, unsigned self, unsigned peers, std::uint32_t end_unit,
                std::uint32_t longest_units)
        : memory_(memory),
          self_(self),
          longest_(size_class_for(longest_units)),
          pool_(memory.first_block(), end_unit),
          under_way_(peers) {
        cut_longest();
    }

    // Returns a block for a packet, or none if the receivers have not released enough blocks.
    // `or_larger` allows a block that is too large when the whole segment has been cut.
    block take(unsigned receiver, std::uint32_t units, bool or_larger = true) {
        const std::uint8_t size_class = size_class_for(units);
        if (const block used = pool_.take_used(size_class)) {
            // The receiver read the used blocks last: fetch one for a later call from its cache.
            memory_.prefetch(pool_.upcoming(size_class));
            return used;
        }
        reclaim(receiver);
        reclaim(next_looked_at_);
        next_looked_at_ = next_looked_at_ + 1 < under_way_.size() ? next_looked_at_ + 1 : 0;
        if (const block used = pool_.take_used(size_class)) {
            return used;
        }
        return grow(size_class, or_larger);
    }

    // Sends the packet that the caller has written to the block. The block is the receiver's now.
    void publish(unsigned receiver, block b, std::uint32_t used_units) {
        const reference mine = refer::to(self_, b.unit, used_units);
        memory_.reset_next(b.unit);
        under_way_[receiver].push(b);
        memory_.link(memory_.swap_tail(receiver, mine), mine);
    }

    // Puts blocks that the receiver has released back into the pool.
    void reclaim(unsigned receiver) {
        block_fifo& fifo = under_way_[receiver];
        if (fifo.size() == 0) {
            return;
        }
        for (const std::uint64_t released = memory_.released_by(receiver);
             fifo.popped() != released;) {
            pool_.give_back(fifo.pop());
        }
    }
    // Returns true if the receiver has released all blocks that were published for it.
    bool has_released_all(unsigned receiver) {
        reclaim(receiver);
        return under_way_[receiver].size() == 0;
    }
    void reclaim_all() {
        for (unsigned receiver = 0; receiver < under_way_.size(); ++receiver) {
            reclaim(receiver);
        }
    }

    // If all blocks have come back, gives them up, and gives the memory behind the longest block
    // back to the system. No rank refers to a block that its receiver has released. Returns false
    // if a block is still under way.
    bool shrink() {
        const std::uint32_t first = memory_.first_block();
        reclaim_all();
        if (!pool_.is_whole(first)) {
            return false;
        }
        const std::uint32_t end = first + pool_.touched(first);
        pool_.forget_all(first);
        cut_longest();
        memory_.give_back(first + pool_.touched(first), end);
        return true;
    }

    std::size_t bytes_touched() const noexcept {
        return pool_.touched(memory_.first_block()) * unit_bytes;
    }

private:
    void cut_longest() {
        if (const block longest = grow(longest_, false)) {
            pool_.give_back(longest);
        }
    }
    block grow(std::uint8_t size_class, bool or_larger) {
        if (const block fresh = pool_.cut(size_class)) {
            memory_.make_block(fresh.unit);
            return fresh;
        }
        reclaim_all();
        return or_larger ? pool_.take_used_or_larger(size_class) : pool_.take_used(size_class);
    }

    Memory& memory_;
    unsigned self_;
    std::uint8_t longest_;
    packet_pool pool_;
    std::vector<block_fifo> under_way_;
    unsigned next_looked_at_ = 0;
};

// One rank's receiving side. One thread at a time uses it.
template <class Memory>
class pull_receiver {
public:
    pull_receiver(Memory& memory, unsigned self, unsigned peers)
        : memory_(memory),
          self_(self),
          stub_(refer::to(self, memory.stub(), 1)),
          current_(stub_),
          released_(peers) {}

    // Returns the next packet, which is the caller's until the next call. Returns none if there is
    // no packet, or if its link is not there yet.
    packet_view next() {
        do {
            const reference successor = follow();
            if (successor == 0) {
                publish_all_released();
                return {};
            }
            step_to(successor);
        } while (current_ == stub_);
        const auto fetched = memory_.fetch(current_);
        known_next_ = fetched.next;
        if (known_next_ != 0) {
            memory_.expect(known_next_);
        }
        return fetched.packet;
    }

private:
    // How many packets of one sender are consumed, and the count that the sender was last given.
    struct return_count {
        std::uint64_t done = 0;
        std::uint64_t told = 0;
        bool is_listed = false;
    };

    // Returns what follows the current packet, or 0 if no successor is known.
    reference follow() {
        const reference next = known_next_ != 0 ? known_next_ : memory_.next_of(current_);
        if (next != 0 || current_ == stub_) {
            return next;
        }
        return is_stub_queued_ ? 0 : close_with_stub();
    }

    // Queues the stub, so that the current packet, which is consumed and has no successor yet, can
    // go back to its sender. Returns the successor of the current packet or stub, or 0 if none is
    // known.
    reference close_with_stub() {
        memory_.reset_next(memory_.stub());
        const reference previous = memory_.swap_tail(self_, stub_);
        if (previous == current_) {
            release(current_);
            current_ = stub_;
            return 0;
        }
        is_stub_queued_ = true;
        memory_.link(previous, stub_);
        return memory_.next_of(current_);
    }

    void step_to(reference successor) {
        if (current_ != stub_) {
            release(current_);
        }
        current_ = successor;
        known_next_ = 0;
        if (current_ == stub_) {
            is_stub_queued_ = false;
        }
    }

    void release(reference packet) {
        const unsigned sender = refer::rank(packet);
        return_count& count = released_[sender];
        ++count.done;
        known_next_ = 0;
        if (count.done - count.told >= Memory::releases_at_once) {
            tell(sender);
        } else if (!count.is_listed) {
            count.is_listed = true;
            untold_.push_back(sender);
        }
    }
    void tell(unsigned sender) {
        return_count& count = released_[sender];
        count.told = count.done;
        memory_.publish_released(sender, count.done);
    }
    void publish_all_released() {
        for (const unsigned sender : untold_) {
            released_[sender].is_listed = false;
            if (released_[sender].told != released_[sender].done) {
                tell(sender);
            }
        }
        untold_.clear();
    }

    Memory& memory_;
    unsigned self_;
    reference stub_;
    reference current_;  // the packet that was returned last and is not released; or the stub
    reference known_next_ = 0;  // the successor of current_, if fetch() brought it
    bool is_stub_queued_ = false;
    std::vector<return_count> released_;
    std::vector<unsigned> untold_;
};

}  // namespace lazult::concert
