// SPDX-License-Identifier: BSD-3-Clause
// A sender's blocks, which are buffers in its own segment. Blocks of 1, 2, 4, ... units are cut
// from the unused rest of the segment, and kept by size when they come back. So the used part grows
// with what is under way. One thread at a time uses the pool.
#pragma once

#include "queues/reference.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lazult::concert {

struct block {
    std::uint32_t unit = 0;  // where it begins in the segment; 0: no block
    std::uint8_t size_class = 0;

    explicit operator bool() const noexcept { return unit != 0; }
    std::uint32_t units() const noexcept { return std::uint32_t{1} << size_class; }
};

constexpr std::uint8_t size_class_for(std::uint32_t units) noexcept {
    return static_cast<std::uint8_t>(std::bit_width(units - 1));
}

class packet_pool {
public:
    packet_pool(std::uint32_t first_unit, std::uint32_t end_unit) noexcept
        : next_unit_(first_unit), end_unit_(end_unit) {}

    // Returns a block that came back, or none.
    block take_used(std::uint8_t size_class) {
        std::vector<std::uint32_t>& same = free_[size_class];
        if (same.empty()) {
            return {};
        }
        const std::uint32_t unit = same.back();
        same.pop_back();
        return {unit, size_class};
    }
    // Returns the unit of the block that take_used() will return some calls later; 0: unknown.
    std::uint32_t upcoming(std::uint8_t size_class) const noexcept {
        const std::vector<std::uint32_t>& same = free_[size_class];
        return same.size() < look_ahead ? 0 : same[same.size() - look_ahead];
    }
    // Returns a block that came back, a larger one if there is none of this size; or none.
    block take_used_or_larger(std::uint8_t size_class) {
        for (std::size_t each = size_class; each < size_classes; ++each) {
            if (const block got = take_used(static_cast<std::uint8_t>(each))) {
                return got;
            }
        }
        return {};
    }
    // Returns a new block, or none if the segment is used up.
    block cut(std::uint8_t size_class) {
        const std::uint32_t units = std::uint32_t{1} << size_class;
        if (end_unit_ - next_unit_ < units) {
            return {};
        }
        const std::uint32_t unit = next_unit_;
        next_unit_ += units;
        return {unit, size_class};
    }
    void give_back(block b) { free_[b.size_class].push_back(b.unit); }

    // Returns true if all blocks that were cut have come back.
    bool is_whole(std::uint32_t first_unit) const noexcept {
        std::size_t units = 0;
        for (std::size_t each = 0; each < size_classes; ++each) {
            units += free_[each].size() << each;
        }
        return units == touched(first_unit);
    }
    // Undoes all cuts. Needs is_whole().
    void forget_all(std::uint32_t first_unit) noexcept {
        free_ = {};
        next_unit_ = first_unit;
    }

    // Returns how many units were cut.
    std::uint32_t touched(std::uint32_t first_unit) const noexcept {
        return next_unit_ - first_unit;
    }

private:
    static constexpr std::size_t look_ahead = 6;
    static constexpr std::size_t size_classes = refer::size_bits;

    std::array<std::vector<std::uint32_t>, size_classes> free_;
    std::uint32_t next_unit_;
    std::uint32_t end_unit_;
};

// The blocks under way to one receiver, first in, first out. Grows.
class block_fifo {
public:
    void push(block b) {
        if (last_ - first_ == ring_.size()) {
            grow();
        }
        ring_[last_++ & (ring_.size() - 1)] = b;
    }
    block pop() noexcept { return ring_[first_++ & (ring_.size() - 1)]; }
    std::uint64_t popped() const noexcept { return first_; }
    std::size_t size() const noexcept { return last_ - first_; }

private:
    void grow() {
        std::vector<block> larger(ring_.empty() ? 64 : ring_.size() * 2);
        for (std::uint64_t i = first_; i != last_; ++i) {
            larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
        }
        ring_ = std::move(larger);
    }

    std::vector<block> ring_;
    std::uint64_t first_ = 0;
    std::uint64_t last_ = 0;
};

}  // namespace lazult::concert
