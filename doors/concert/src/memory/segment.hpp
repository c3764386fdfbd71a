// SPDX-License-Identifier: BSD-3-Clause
// How a rank's segment of a queue's window is divided, in units of 64 bytes.
//   0            pull: the tail; push: the ticket counter
//   1            push: the head
//   2 ...        pull: for each receiver, one unit with how many packets it has released
//   then         pull: the stub, and the blocks of packets; push: the slots of the ring
#pragma once

#include "queues/push_queue.hpp"

#include <cstddef>
#include <cstdint>

namespace lazult::concert {

struct segment_shape {
    unsigned peers = 0;
    std::uint32_t units = 0;
    ring_shape ring;

    static constexpr std::uint32_t counter() noexcept { return 0; }
    static constexpr std::uint32_t head() noexcept { return 1; }
    static constexpr std::uint32_t released_by(unsigned receiver) noexcept { return 2 + receiver; }
    std::uint32_t stub() const noexcept { return 2 + peers; }
    std::uint32_t first_block() const noexcept { return stub() + 1; }
    std::uint32_t slot(std::uint32_t number) const noexcept {
        return 2 + number * (ring.slot_bytes / static_cast<std::uint32_t>(unit_bytes));
    }
    std::size_t bytes() const noexcept { return std::size_t{units} * unit_bytes; }

    static segment_shape for_pull(unsigned peers, std::size_t pool_bytes) noexcept {
        segment_shape shape{peers, 0, {}};
        shape.units = shape.first_block() + static_cast<std::uint32_t>(pool_bytes / unit_bytes);
        return shape;
    }
    static segment_shape for_push(unsigned peers, ring_shape ring) noexcept {
        segment_shape shape{peers, 0, ring};
        shape.units = shape.slot(ring.slots);
        return shape;
    }
};

}  // namespace lazult::concert
