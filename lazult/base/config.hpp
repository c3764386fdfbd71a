// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

// Statement attributes, so that a branch reads `if (fast) LAZULT_LIKELY { ... }`.
#define LAZULT_LIKELY [[likely]]
#define LAZULT_UNLIKELY [[unlikely]]

#define LAZULT_EXPORT __attribute__((visibility("default")))
// Of an extern variable: -fvisibility=hidden speaks of definitions, so its address would be looked
// up first.
#define LAZULT_HIDDEN __attribute__((visibility("hidden")))
#define LAZULT_NOINLINE __attribute__((noinline))
#define LAZULT_COLD __attribute__((cold, noinline))
// Of a function with a long chain of conditions: the compiler must not take what comes after all of
// them for rare.
#define LAZULT_HOT __attribute__((hot))
#define LAZULT_INLINE_BY_FORCE inline __attribute__((always_inline))
// For speed. The build defines LAZULT_INLINES_FOR_SPEED to 0 under ThreadSanitizer, where what is
// inlined is instrumented as its caller is: cmake/tsan_ignored.txt.
#if defined(LAZULT_INLINES_FOR_SPEED) && !LAZULT_INLINES_FOR_SPEED
#define LAZULT_ALWAYS_INLINE inline
#else
#define LAZULT_ALWAYS_INLINE LAZULT_INLINE_BY_FORCE
#endif

// The build defines it to 1 in the dev, sanitizer and chaos presets.
#ifndef LAZULT_ASSERTIONS
#define LAZULT_ASSERTIONS 0
#endif

namespace lazult::base {

// A constant and not std::hardware_destructive_interference_size: that one varies with -mtune, and
// structures laid out with it would differ between translation units.
inline constexpr std::size_t cache_line = 64;

// The same pointer, of which the compiler forgets what it knew. Costs no instruction; what is read
// through it from here on is addressed anew, and not by addresses computed long before and kept in
// registers meanwhile.
template <class T>
LAZULT_ALWAYS_INLINE T* anew(T* p) noexcept {
    asm("" : "+r"(p));
    return p;
}

}  // namespace lazult::base
