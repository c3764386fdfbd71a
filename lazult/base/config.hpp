// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

// Statement attributes, so that a branch reads `if (fast) LAZULT_LIKELY { ... }`.
#define LAZULT_LIKELY [[likely]]
#define LAZULT_UNLIKELY [[unlikely]]

#define LAZULT_EXPORT __attribute__((visibility("default")))
// For declarations of extern variables. -fvisibility=hidden affects definitions only, so without
// this the code would first look up the variable's address in the global offset table.
#define LAZULT_HIDDEN __attribute__((visibility("hidden")))
#define LAZULT_NOINLINE __attribute__((noinline))
#define LAZULT_COLD __attribute__((cold, noinline))
// For functions with a long chain of conditions. Without this the compiler takes the code behind
// all of them for unlikely.
#define LAZULT_HOT __attribute__((hot))
#define LAZULT_INLINE_BY_FORCE inline __attribute__((always_inline))
// Inlines for speed. Under ThreadSanitizer the build defines LAZULT_INLINES_FOR_SPEED to 0, because
// inlined code is instrumented if its caller is: see cmake/tsan_ignored.txt.
#if defined(LAZULT_INLINES_FOR_SPEED) && !LAZULT_INLINES_FOR_SPEED
#define LAZULT_ALWAYS_INLINE inline
#else
#define LAZULT_ALWAYS_INLINE LAZULT_INLINE_BY_FORCE
#endif

// The build defines this to 1 in the dev, sanitizer and chaos presets.
#ifndef LAZULT_ASSERTIONS
#define LAZULT_ASSERTIONS 0
#endif

namespace lazult::base {

// Not std::hardware_destructive_interference_size, because that value varies with -mtune: the
// layout of structures would differ between translation units.
inline constexpr std::size_t cache_line = 64;

// Returns `p`, but hides from the compiler where it came from, at no cost. Addresses are computed
// anew from the result, so the compiler does not keep addresses from before in registers.
template <class T>
LAZULT_ALWAYS_INLINE T* anew(T* p) noexcept {
    asm("" : "+r"(p));
    return p;
}

}  // namespace lazult::base
