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

    // In [0, n); 0 when n is 0. The high half is scaled, because the low bits are the weak ones.
    constexpr std::uint32_t below(std::uint32_t n) noexcept {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

private:
    // One step of splitmix64: neighbouring seeds (stream numbers) must give unrelated sequences,
    // and xorshift is stuck for ever in a state of 0.
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
