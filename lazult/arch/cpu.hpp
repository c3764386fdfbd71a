// SPDX-License-Identifier: BSD-3-Clause
// Short pieces of architecture-specific code: the spin hint, the cycle counter, the stack pointer,
// the floating-point control words.
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

// Begins to fetch the line of this address, which another core may hold, for a store that follows.
// On x86-64 compilers turn __builtin_prefetch(p, 1) into PREFETCHT0, which fetches the line in
// shared state; only -mprfchw makes them emit PREFETCHW, which fetches it in exclusive state.
// Processors without PREFETCHW run it as a nop.
[[gnu::always_inline]] inline void prefetch_for_write(const void* p) noexcept {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(p)));
#else
    __builtin_prefetch(p, 1);
#endif
}

// Adds to a number that only the calling thread writes, while other threads read it whole. A
// relaxed load, an addition and a relaxed store would be three instructions; this is one.
inline void add_alone(std::uint64_t& number, std::uint64_t n) noexcept {
#if defined(__x86_64__)
    asm("addq %1, %0" : "+m"(number) : "er"(n) : "cc");
#else
    __atomic_store_n(&number, __atomic_load_n(&number, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
#endif
}

// Returns a counter with a constant rate; 0 if user code can read none.
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

// Returns about how many ticks of read_tsc() pass in a second.
inline std::uint64_t tsc_rate() noexcept {
#if defined(__aarch64__)
    std::uint64_t rate;
    asm("mrs %0, cntfrq_el0" : "=r"(rate));
    return rate;
#else
    return 2'600'000'000;
#endif
}

// Returns an address in or below the caller's frame, to measure the depth of the stack. It does not
// make the compiler set up a frame pointer.
[[gnu::always_inline]] inline const std::byte* stack_position() noexcept {
#if defined(__x86_64__)
    const std::byte* position;
    asm("movq %%rsp, %0" : "=r"(position));
    return position;
#else
    return static_cast<const std::byte*>(__builtin_frame_address(0));
#endif
}

// Returns the bits that control the caller's floating-point arithmetic: rounding, traps, denormals.
// The sticky exception flags are left out. On x86-64 these bits are in MXCSR; fesetround,
// feenableexcept and fesetenv change MXCSR together with the x87 control word.
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

// The control words of the process, stored so that a thread's own can be compared cheaply. On
// x86-64, reading MXCSR costs 13 cycles on Zen 5, more than a call. So is_left() reads the x87
// control word, which <cfenv> changes together with MXCSR. It also adds two denormals: the sum is
// zero if they are flushed, as intrinsics and -ffast-math ask for. Adding denormals is as fast as
// adding other numbers. Other changes of MXCSR by intrinsics (rounding, traps) are not noticed.
class usual_arithmetic {
public:
    // Returns the control words of the caller.
    static usual_arithmetic now() noexcept {
        usual_arithmetic result;
#if defined(__x86_64__)
        asm volatile("fnstcw %0" : "=m"(result.x87_word_));
        constexpr std::uint32_t flushes = 0x8040;
        constexpr std::uint32_t traps_are_masked = 0x0100;
        // If the process itself flushes denormals, or traps at them, is_left() adds normal numbers.
        const std::uint32_t words = control_words();
        const bool may_add = (words & flushes) == 0 && (words & traps_are_masked) != 0;
        result.tiny_ = may_add ? std::numeric_limits<double>::denorm_min() : 1.0;
#else
        result.words_ = control_words();
#endif
        return result;
    }

    // Returns true if the control words of the caller differ.
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

// Sets what control_words() returned. Slow: the processor may have to finish all earlier
// instructions first.
inline void set_control_words(std::uint32_t words) noexcept {
#if defined(__x86_64__)
    asm volatile("ldmxcsr %0" : : "m"(words));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{words}));
#else
    std::fesetround(static_cast<int>(words));
#endif
}

// True if assembly saves contexts. A context that assembly saves resumes where the switch would
// have returned to. So a function may end in a switch as a tail call: then the switch resumes that
// function's caller.
#if defined(LAZULT_ARCH_GENERIC)
inline constexpr bool switches_in_tail_position = false;
#else
inline constexpr bool switches_in_tail_position = true;
#endif

// Returns the name of the implementation of <lazult/arch/context.hpp> in this build.
const char* context_implementation() noexcept;

}  // namespace lazult::arch
