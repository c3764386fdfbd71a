// SPDX-License-Identifier: BSD-3-Clause
// Which null constants the program was compiled with. A default build of Argobots numbers them
// (ABT_XSTREAM_NULL is 0x01). A build with --disable-checks makes all of them NULL. Nothing in a
// binary says which header it saw. So the library learns the family from the nulls that programs
// pass, and returns nulls of that family. As arguments it accepts both families at any time. A
// program that compares a result with a null before it passes any null needs the setting abt_null
// (LAZULT_ABT_NULL), which fixes the family and ends the learning.
//
//   unknown -> zero      the program passed NULL where programs usually pass a null constant, or
//                        a function of a user's pool returned NULL to say "nothing"
//   any     -> numbered  the program passed a numbered constant: a program with numbered constants
//                        may pass NULL, too, but a program without them never passes a number
#pragma once

#include "load/settings.hpp"

#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::abt {

enum class null_family : std::uint8_t { unknown, zero, numbered };

// field                     written by            read by              order
// the_nulls, bits_of_nulls  callers that pass     functions that       relaxed: no other data
//                           nulls, abt_null       return nulls         depends on them
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<null_family> the_nulls;
// A mask for null constants: all ones for numbered constants, 0 if all of them are NULL.
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<std::uintptr_t> bits_of_nulls;

// The largest null constant.
inline constexpr std::uintptr_t last_null = 0x15;

LAZULT_COLD void learn_null(std::uintptr_t given) noexcept;
// Of the setting abt_null, by ABT_init. Where that is automatic, what is known stays.
void obey_setting(null_kind told) noexcept;

// Learns from an argument that may be a null constant: call it for arguments for which programs
// usually pass one.
inline void note_null(const void* given) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(given);
    if (bits <= last_null && the_nulls.load(std::memory_order_relaxed) != null_family::numbered)
        LAZULT_UNLIKELY {
        learn_null(bits);
    }
}

// Returns true if note_null(given) would learn nothing, provided that `given` is a null constant.
inline bool is_known_null(const void* given) noexcept {
    const null_family known = the_nulls.load(std::memory_order_relaxed);
    return known == null_family::numbered || (known == null_family::zero && given == nullptr);
}

// Learns from a value by which a function of the user's pool said "nothing". Only NULL counts: a
// numbered constant may be one that the library itself returned before it knew the family.
inline void note_nothing(const void* given) noexcept {
    if (given == nullptr && the_nulls.load(std::memory_order_relaxed) == null_family::unknown)
        LAZULT_UNLIKELY {
        learn_null(0);
    }
}

// Returns the null constant in the form that the program was compiled with.
template <class Handle>
Handle as_null(Handle constant) noexcept {
    return reinterpret_cast<Handle>(reinterpret_cast<std::uintptr_t>(constant) &
                                    bits_of_nulls.load(std::memory_order_relaxed));
}

}  // namespace lazult::abt
