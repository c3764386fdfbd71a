// SPDX-License-Identifier: BSD-3-Clause
// Adds up numbers of the ranks of a node, in memory that they share, in one wave after another. A
// rank writes its numbers into its cell for the wave, and then publishes the wave's number. When
// all ranks have, each adds the numbers up. So a wave ends on no rank before it has begun on all.
//
// A rank has two cells, for odd and for even waves, so it writes a cell again two waves later. It
// begins that wave only when all ranks have begun the wave between, and so have read the cell.
//
// field        | written by | read by   | order
// wave         | its rank   | all       | release / acquire: publishes the numbers, and orders the
//              |            |           | waves
// numbers      | its rank   | all       | relaxed: `wave` publishes them; the next write comes
//              |            |           | after it
#pragma once

#include "lazult/ds/ds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lazult::concert {

template <class Atomics = ds::default_atomics>
class node_sum {
    using word = typename Atomics::template atomic<std::uint64_t>;

public:
    static constexpr std::size_t width = 2;
    using numbers = std::array<std::uint64_t, width>;

    struct alignas(base::cache_line) cell {
        word wave{0};
        std::array<word, width> its{};
    };
    // The memory of one rank that all ranks share.
    struct cells {
        std::array<cell, 2> of;
    };

    // `all` are the ranks' cells, as this process maps them. Each rank made its own before wave 1.
    node_sum(std::vector<cells*> all, unsigned self) : all_(std::move(all)), self_(self) {}

    // Begins a wave with this rank's numbers, after the last wave has ended.
    void begin(const numbers& mine) noexcept {
        ++wave_;
        next_ = 0;
        sum_ = {};
        cell& here = all_[self_]->of[wave_ & 1];
        for (std::size_t i = 0; i < width; ++i) {
            // pairs with: has_ended(): wave publishes it
            here.its[i].store(mine[i], std::memory_order_relaxed);
        }
        here.wave.store(wave_, std::memory_order_release);  // pairs with: has_ended()
    }
    // Returns true if all ranks have begun the wave. Then sum() is complete.
    bool has_ended() noexcept {
        for (; next_ != all_.size(); ++next_) {
            cell& there = all_[next_]->of[wave_ & 1];
            if (there.wave.load(std::memory_order_acquire) != wave_) {  // pairs with: begin()
                return false;
            }
            for (std::size_t i = 0; i < width; ++i) {
                sum_[i] += there.its[i].load(std::memory_order_relaxed);  // pairs with: begin()
            }
        }
        return true;
    }
    const numbers& sum() const noexcept { return sum_; }

private:
    std::vector<cells*> all_;
    unsigned self_;
    std::uint64_t wave_ = 0;
    std::size_t next_ = 0;
    numbers sum_{};
};

}  // namespace lazult::concert
