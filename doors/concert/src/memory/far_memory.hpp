// SPDX-License-Identifier: BSD-3-Clause
// The memory under the queues between nodes, with the words and addresses of node_memory.hpp. Ranks
// reach it by MPI's one-sided calls, in one passive epoch that lasts as long as the window. Only
// accumulating calls change words that ranks share, because MPI guarantees that these calls are
// atomic among themselves. A rank reads its own words in place (unified memory model), after a
// sync.
//
// One-sided calls replace the memory orders of node_memory.hpp. A release means that what came
// before is complete at the target. An acquire is the end of the call that read the word. There is
// no compare-and-swap, because the default component of one MPI crashes on it.
//
// Any thread of the process may make any call (MPI_THREAD_MULTIPLE), except that one thread at a
// time calls fetch().
#pragma once

#include "memory/segment.hpp"

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace lazult::concert {

class far_memory {
public:
    static constexpr bool is_in_place = false;
    static constexpr std::uint64_t releases_at_once = 16;  // publishing a count costs a message

    struct fetched {
        packet_view packet;
        reference next;
    };

    // `segment` is the caller's own part of the window. Memory of it that is never touched costs
    // nothing.
    far_memory(segment_shape shape, unsigned self, MPI_Win window, std::byte* segment) noexcept
        : shape_(shape), self_(self), window_(window), segment_(segment) {}

    void initialise() noexcept;

    // --- for queues/pull_queue.hpp: packets stay in their senders' segments
    std::uint32_t first_block() const noexcept { return shape_.first_block(); }
    std::uint32_t stub() const noexcept { return shape_.stub(); }
    void make_block(std::uint32_t) noexcept {}
    std::byte* payload(std::uint32_t unit) noexcept { return address_of(unit) + packet_prefix; }
    std::byte* facts(std::uint32_t unit) noexcept { return address_of(unit) + word_bytes; }

    void prefetch(std::uint32_t) const noexcept {}
    // Does nothing, because a network card may have registered the pages.
    void give_back(std::uint32_t, std::uint32_t) noexcept {}

    void reset_next(std::uint32_t unit) noexcept;
    reference swap_tail(unsigned receiver, reference r) noexcept;
    void link(reference previous, reference r) noexcept;
    reference next_of(reference r) noexcept;
    fetched fetch(reference r);
    void expect(reference) const noexcept {}
    void publish_released(unsigned sender, std::uint64_t count) noexcept;
    std::uint64_t released_by(unsigned receiver) noexcept;

    // --- for queues/push_queue.hpp: senders write packets into the receiver's ring of slots
    std::uint64_t take_tickets(unsigned receiver, std::uint32_t count) noexcept;
    void put(unsigned receiver, std::uint32_t slot, const std::byte* from,
             std::size_t bytes) noexcept;
    void stamp(unsigned receiver, std::uint32_t slot, std::uint64_t value) noexcept;
    std::uint64_t stamp_of(std::uint32_t slot) noexcept;
    const std::byte* slot_data(std::uint32_t slot) noexcept {
        return address_of(shape_.slot(slot)) + word_bytes;
    }
    void publish_head(std::uint64_t head) noexcept;
    std::uint64_t head_of(unsigned receiver) noexcept;

private:
    std::byte* address_of(std::uint32_t unit) const noexcept {
        return segment_ + std::size_t{unit} * unit_bytes;
    }
    std::uint64_t own(std::uint32_t unit) const noexcept;
    void set_own(std::uint32_t unit, std::uint64_t value) const noexcept;
    std::uint64_t change(unsigned rank, std::uint32_t unit, std::uint64_t operand,
                         MPI_Op how) const noexcept;
    MPI_Request begin_change(unsigned rank, std::uint32_t unit, const std::uint64_t* operand,
                             std::uint64_t* before, MPI_Op how) const noexcept;
    void replace(unsigned rank, std::uint32_t unit, std::uint64_t value) const noexcept;

    segment_shape shape_;
    unsigned self_;
    MPI_Win window_;
    std::byte* segment_;
    std::vector<std::byte> incoming_;
};

}  // namespace lazult::concert
