// SPDX-License-Identifier: BSD-3-Clause
// Single instructions: the spin hint, the cycle counter, the stack pointer.
#pragma once

#include <cfenv>
#include <cstddef>
#include <cstdint>

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

// Adds to a number that only the calling thread writes, while others read it whole: one instruction where the
// compiler would make three of a relaxed load, an addition and a relaxed store.
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

// An address in or below the caller's frame: how deep this stack is. No frame pointer is forced for it.
[[gnu::always_inline]] inline const std::byte* stack_position() noexcept {
#if defined(__x86_64__)
    const std::byte* position;
    asm("movq %%rsp, %0" : "=r"(position));
    return position;
#else
    return static_cast<const std::byte*>(__builtin_frame_address(0));
#endif
}

// What decides how the calling flow computes: rounding, traps, denormals. Not the sticky flags. On x86-64 that is MXCSR, which
// fesetround, feenableexcept and fesetenv change together with the x87 word; what changes that one alone is not seen here.
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

// Whether contexts are saved by assembly, whose frames stand where its caller's call returns to: a function may end in a
// switch, and then its caller is what is resumed.
#if defined(LAZULT_ARCH_GENERIC)
inline constexpr bool switches_in_tail_position = false;
#else
inline constexpr bool switches_in_tail_position = true;
#endif

// Name of the implementation of <lazult/arch/context.hpp> in this build.
const char* context_implementation() noexcept;

}  // namespace lazult::arch
