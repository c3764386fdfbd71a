// SPDX-License-Identifier: BSD-3-Clause
// Single instructions: the spin hint, the cycle counter, the stack pointer.
#pragma once

#include <bit>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "lazult/arch/context.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace lazult::arch {

// Tells the processor that the caller spins.
inline void pause() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#else
    asm volatile("" ::: "memory");
#endif
}

// Adds to a number that only the calling thread writes, while others read it whole: one instruction
// where the compiler would make three of a relaxed load, an addition and a relaxed store.
inline void add_alone(std::uint64_t& number, std::uint64_t n) noexcept {
#if defined(__x86_64__)
    asm("addq %1, %0" : "+m"(number) : "er"(n) : "cc");
#else
    __atomic_store_n(&number, __atomic_load_n(&number, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
#endif
}

// Constant-rate counter of the processor; 0 where there is none that user code may read.
inline std::uint64_t read_tsc() noexcept {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

// An address in or below the caller's frame: how deep this stack is. No frame pointer is forced for
// it.
[[gnu::always_inline]] inline const std::byte* stack_position() noexcept {
#if defined(__x86_64__)
    const std::byte* position;
    asm("movq %%rsp, %0" : "=r"(position));
    return position;
#else
    return static_cast<const std::byte*>(__builtin_frame_address(0));
#endif
}

// What decides how the caller computes: rounding, traps, denormals. Not the sticky flags. On
// x86-64 that is MXCSR, which fesetround, feenableexcept and fesetenv change together with the x87
// word.
inline std::uint32_t control_words() noexcept {
#if defined(__x86_64__)
    std::uint32_t word;
    asm volatile("stmxcsr %0" : "=m"(word));
    constexpr std::uint32_t flags = 0x3f;
    return word & ~flags;
#elif defined(__aarch64__)
    std::uint64_t word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return static_cast<std::uint32_t>(word);
#else
    return static_cast<std::uint32_t>(std::fegetround());
#endif
}

// How a process computes, kept so that a look whether a thread computes otherwise is cheap. On
// x86-64 reading MXCSR costs 13 cycles on Zen 5, more than a call. So the look reads the x87 word,
// which <cfenv> changes together with MXCSR, and adds two denormals: the sum is zero where they are
// flushed, as intrinsics and -ffast-math ask for. Addition of denormals is as fast as any other.
// What intrinsics alone change in MXCSR beside that (rounding, traps) is not seen.
class usual_arithmetic {
public:
    // Of the caller.
    static usual_arithmetic now() noexcept {
        usual_arithmetic result;
#if defined(__x86_64__)
        asm volatile("fnstcw %0" : "=m"(result.x87_word_));
        constexpr std::uint32_t flushes = 0x8040;
        constexpr std::uint32_t traps_are_masked = 0x0100;
        // Where the process itself flushes denormals, or traps at them, nothing is to be found by
        // adding two.
        const std::uint32_t words = control_words();
        const bool may_add = (words & flushes) == 0 && (words & traps_are_masked) != 0;
        result.tiny_ = may_add ? std::numeric_limits<double>::denorm_min() : 1.0;
#else
        result.words_ = control_words();
#endif
        return result;
    }

    // Whether the caller computes otherwise.
    bool is_left() const noexcept {
#if defined(__x86_64__)
        std::uint16_t word;
        asm volatile("fnstcw %0" : "=m"(word));
        if (word != x87_word_) [[unlikely]] {
            return true;
        }
        double sum = tiny_;
        asm volatile("addsd %0, %0" : "+x"(sum));
        return std::bit_cast<std::uint64_t>(sum) == 0;
#else
        return control_words() != words_;
#endif
    }

private:
#if defined(__x86_64__)
    double tiny_ = 1.0;
    std::uint16_t x87_word_ = 0;
#else
    std::uint32_t words_ = 0;
#endif
};

// As control_words() gave them. Slow: the processor may finish everything first.
inline void set_control_words(std::uint32_t words) noexcept {
#if defined(__x86_64__)
    asm volatile("ldmxcsr %0" : : "m"(words));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{words}));
#else
    std::fesetround(static_cast<int>(words));
#endif
}

// Whether assembly saves contexts. A frame that it saves resumes at the point to which the caller's
// call returns. So a function may end in a switch, as a tail call. Then the function's caller is
// what is resumed.
#if defined(LAZULT_ARCH_GENERIC)
inline constexpr bool switches_in_tail_position = false;
#else
inline constexpr bool switches_in_tail_position = true;
#endif

// Name of the implementation of <lazult/arch/context.hpp> in this build.
const char* context_implementation() noexcept;

}  // namespace lazult::arch
