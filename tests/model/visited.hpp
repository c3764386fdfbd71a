// SPDX-License-Identifier: BSD-3-Clause
// The states that a search has come by. Most of the ways to interleave the same operations lead to
// the same state, and what follows needs to be looked at once.
//
// A state is known by a fingerprint of 61 bits, as in Spin's hash-compact search: two states that
// share one are taken for one. Of a hundred million states that is so with a probability of 1 in
// 500.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lazult::model {

// A running hash.
class fingerprint {
public:
    void add(std::uint64_t value) {
        bits_ = (bits_ ^ value) * 0x9e3779b97f4a7c15U;
        bits_ ^= bits_ >> 29;
    }
    std::uint64_t bits() const { return bits_; }

private:
    std::uint64_t bits_ = 0x243f6a8885a308d3U;
};

class visited {
public:
    // A state that is reached after fewer preemptions has more ahead of it. True if it was there,
    // after as many or fewer.
    bool insert(fingerprint state, unsigned preemptions);
    void clear();
    std::size_t size() const { return count_; }

private:
    static constexpr std::uint64_t preemption_bits = 7;
    static constexpr std::size_t most =
        std::size_t{1}  // entries, a gigabyte: what comes later is not remembered
        << 27;

    std::uint64_t& place_of(std::uint64_t key);
    void grow();

    // 0: free; else a fingerprint, and in its last bits the least number of preemptions
    std::vector<std::uint64_t> table_;
    std::size_t count_ = 0;
};

}  // namespace lazult::model
