// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ioservice {

// A function of numbers that looks random: Steele et al., Fast splittable pseudorandom number
// generators, 2014.
inline std::uint64_t mixed(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

// Of a multiple of 32 bytes. Each step can be undone, so one changed word always changes the sum.
inline std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed) {
    std::uint64_t lanes[4] = {seed, seed + 1, seed + 2, seed + 3};
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; i += sizeof lanes) {
        std::uint64_t words[4];
        std::memcpy(words, at + i, sizeof words);
        for (int lane = 0; lane < 4; ++lane) {
            lanes[lane] = std::rotl(lanes[lane] ^ words[lane], 31) * 0x9e3779b97f4a7c15;
        }
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t lane : lanes) {
        sum = mixed(sum ^ lane);
    }
    return sum;
}

}  // namespace ioservice
