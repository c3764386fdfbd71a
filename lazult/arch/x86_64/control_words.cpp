// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/arch/x86_64/control_words.hpp"

#include <x86intrin.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace lazult::arch {
namespace {

constexpr int pairs = 16;

void load(std::uint32_t mxcsr) noexcept {
    // volatile, so that the compiler keeps all loads, in this order
    asm volatile("ldmxcsr %0" : : "m"(mxcsr));
}

// Returns the TSC cycles of 16 loads of each word, in turns. It is the least of 8 rounds, because
// an interrupt disturbs few of them.
std::uint64_t cycles_of_loads(std::uint32_t one, std::uint32_t other) noexcept {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (int round = 0; round < 8; ++round) {
        const std::uint64_t begin = __rdtsc();
        for (int i = 0; i < pairs; ++i) {
            load(one);
            load(other);
        }
        least = std::min<std::uint64_t>(least, __rdtsc() - begin);
    }
    return least;
}

}  // namespace

// The test loads change only an exception flag in MXCSR, so the caller computes as before.
bool changing_loads_are_dear() noexcept {
    constexpr std::uint32_t inexact_flag = 0x20;
    const std::uint32_t before = _mm_getcsr();
    const std::uint32_t without_flag = before & ~inexact_flag;
    const std::uint64_t same = cycles_of_loads(without_flag, without_flag);
    const std::uint64_t changing = cycles_of_loads(without_flag, without_flag | inexact_flag);
    load(before);
    // Measured: 0 cycles for each load on Zen 5, 70 on Sapphire Rapids. Comparing costs about 5.
    constexpr std::uint64_t dear = 10;
    return changing > same + 2 * pairs * dear;
}

// Runs when the library is loaded (see .init_array in switch.S), so no switch is under way that
// could see the value change.
void lazult_choose_how_words_are_loaded() noexcept {
    lazult_compares_words = changing_loads_are_dear() ? 1 : 0;
}

}  // namespace lazult::arch
