// SPDX-License-Identifier: BSD-3-Clause
// Numbers that one thread takes from the front, and that others take from the back when they have none left: a loop whose
// threads begin with a share each. The owner's steps meet nobody as long as nobody is idle.
//
// A range is used for one loop after another. Each has a tag; a word with another tag is of an earlier loop, and means that
// the range is as it was at the beginning, which everybody can compute. So nobody writes ranges to begin a loop.
//
// Source: the halving of ranges in Lea's fork-join framework; here in one word, so that a thief needs one compare and exchange.
// With its tag a word says all that there is to know, so it does no harm if one comes back that was there before.
//
// field | who writes                    | who reads | order
// word_ | the owner; thieves lower end  | anybody   | relaxed: who has which numbers, and no data behind it
#pragma once

#include "lazult/ds/atomics.hpp"

#include <cstdint>

namespace lazult::ds {

template <class Atomics = default_atomics>
class split_range {
public:
    static constexpr std::uint32_t largest = (std::uint32_t{1} << 24) - 1;  // end
    static constexpr std::uint16_t no_tag = 0;  // of a fresh range, and of no loop

    struct piece {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        bool empty() const noexcept { return begin >= end; }
        std::uint32_t size() const noexcept { return end - begin; }
    };

    // By the owner: the first so_many(size) of what is left.
    template <class SoMany>
    piece take(std::uint16_t tag, piece initial, SoMany so_many) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        for (;;) {
            const piece left = tag_of(word) == tag ? unpacked(word) : initial;
            if (left.empty()) {
                return {};
            }
            const std::uint32_t middle = left.begin + so_many(left.size());
            if (replace(word, packed(tag, {middle, left.end}))) {
                return {left.begin, middle};
            }
        }
    }

    // By anybody else: the later half, and of a single one that.
    piece steal(std::uint16_t tag, piece initial) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        for (;;) {
            const piece left = tag_of(word) == tag ? unpacked(word) : initial;
            if (left.empty()) {
                return {};
            }
            const std::uint32_t middle = left.begin + left.size() / 2;
            if (replace(word, packed(tag, {left.begin, middle}))) {
                return {middle, left.end};
            }
        }
    }

    // By the owner, of whose range nothing is left.
    void set(std::uint16_t tag, piece all) noexcept {
        word_.store(packed(tag, all), std::memory_order_relaxed);
    }

    // Before a tag is used again. Nobody else is there.
    void forget() noexcept { word_.store(0, std::memory_order_relaxed); }

private:
    bool replace(std::uint64_t& seen, std::uint64_t wanted) noexcept {
        return word_.compare_exchange_weak(seen, wanted, std::memory_order_relaxed,
                                           std::memory_order_relaxed);
    }
    static constexpr std::uint16_t tag_of(std::uint64_t word) noexcept {
        return static_cast<std::uint16_t>(word >> 48);
    }
    static constexpr std::uint64_t packed(std::uint16_t tag, piece p) noexcept {
        return std::uint64_t{tag} << 48 | std::uint64_t{p.begin} << 24 | p.end;
    }
    static constexpr piece unpacked(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word >> 24) & largest, static_cast<std::uint32_t>(word) & largest};
    }

    typename Atomics::template atomic<std::uint64_t> word_{0};
};

}  // namespace lazult::ds
