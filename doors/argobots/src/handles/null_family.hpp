// SPDX-License-Identifier: BSD-3-Clause
// Which null constants the program was compiled with. A default build of Argobots numbers them
// (ABT_XSTREAM_NULL is 0x01), one with --disable-checks makes all of them NULL, and nothing in a
// binary says which header it saw. So the library learns it from the nulls that it is given, and
// answers with the same. Both are taken as input at any time. A program that compares an answer
// before it gives any null needs the setting abt_null (LAZULT_ABT_NULL), which ends the learning.
//
//   unknown -> zero      a NULL was given where a null constant is usual, or came from a user's
//                        pool for nothing
//   any     -> numbered  a numbered one was given: a program that has those may write NULL too, but
//                        not the other way round
#pragma once

#include <cstdint>

#include "lazult/base/base.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::abt {

enum class null_family : std::uint8_t { unknown, zero, numbered };

// field       written by                 read by                     order
// the_nulls, bits_of_nulls
//             receivers of nulls         givers of nulls             relaxed: nothing else comes
//                                                                    with it
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<null_family> the_nulls;
// What is left of a constant: no bit where all of them are NULL.
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<std::uintptr_t> bits_of_nulls;

// The largest null constant.
inline constexpr std::uintptr_t last_null = 0x15;

LAZULT_COLD void learn_null(std::uintptr_t given) noexcept;
// Of the setting abt_null, by ABT_init. Where that is automatic, what is known stays.
void obey_setting(base::abt_null_kind told) noexcept;

// A handle where programs usually give a null constant.
inline void note_null(const void* given) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(given);
    if (bits <= last_null && the_nulls.load(std::memory_order_relaxed) != null_family::numbered)
        LAZULT_UNLIKELY {
        learn_null(bits);
    }
}

// Whether note_null() would learn nothing from a null.
inline bool is_known_null(const void* given) noexcept {
    const null_family known = the_nulls.load(std::memory_order_relaxed);
    return known == null_family::numbered || (known == null_family::zero && given == nullptr);
}

// What a function of the user's gave as "nothing". A numbered constant says nothing here: the user
// may pass on what the library itself gave while it knew no better.
inline void note_nothing(const void* given) noexcept {
    if (given == nullptr && the_nulls.load(std::memory_order_relaxed) == null_family::unknown)
        LAZULT_UNLIKELY {
        learn_null(0);
    }
}

// What the program takes for the constant.
template <class Handle>
Handle as_null(Handle constant) noexcept {
    return reinterpret_cast<Handle>(reinterpret_cast<std::uintptr_t>(constant) &
                                    bits_of_nulls.load(std::memory_order_relaxed));
}

}  // namespace lazult::abt
