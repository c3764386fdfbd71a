// SPDX-License-Identifier: BSD-3-Clause
// Which units of a round suspend.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lazult::tool {

// Exactly round(n * percent / 100) flags of n are set, in an order shuffled by a fixed seed. 64
// such patterns follow one another, because a processor's branch predictor learns a single one by
// heart.
class suspend_patterns {
public:
    suspend_patterns(std::size_t n, double percent) : n_(n), flags_(patterns * n, 0) {
        const auto set =
            static_cast<std::size_t>(std::lround(static_cast<double>(n) * percent / 100));
        std::uint64_t state = 0x9E3779B97F4A7C15U;
        for (std::size_t k = 0; k < patterns; ++k) {
            unsigned char* flags = &flags_[k * n];
            for (std::size_t i = 0; i < set; ++i) {
                flags[i] = 1;
            }
            shuffle(flags, state);
        }
    }

    unsigned char* pattern(std::uint64_t round) noexcept { return &flags_[round % patterns * n_]; }

private:
    static constexpr std::size_t patterns = 64;

    void shuffle(unsigned char* flags, std::uint64_t& state) const noexcept {
        for (std::size_t i = n_ - 1; i > 0; --i) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            std::swap(flags[i], flags[state % (i + 1)]);
        }
    }

    std::size_t n_;
    std::vector<unsigned char> flags_;
};

}  // namespace lazult::tool
