// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace lazult::base {

// Marsaglia's xorshift with Vigna's multiplier (xorshift64*): three shifts and a product, for
// victim selection and chaos, where speed counts and secrecy does not.
class xorshift64 {
public:
    explicit constexpr xorshift64(std::uint64_t seed) noexcept : state_(scramble(seed)) {}

    constexpr std::uint64_t next() noexcept {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545F4914F6CDD1DU;
    }

    // Returns a number in [0, n), or 0 if n is 0. Scales the high half, because low bits are weak.
    constexpr std::uint32_t below(std::uint32_t n) noexcept {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

private:
    // One step of splitmix64, because neighbouring seeds (stream numbers) must give unrelated
    // sequences, and because xorshift stays at a state of 0 for ever.
    static constexpr std::uint64_t scramble(std::uint64_t seed) noexcept {
        std::uint64_t z = seed + 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        z ^= z >> 31;
        return z == 0 ? 1 : z;
    }

    std::uint64_t state_;
};

}  // namespace lazult::base
