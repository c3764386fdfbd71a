// SPDX-License-Identifier: BSD-3-Clause
// What reports and traces say of a wait.
#pragma once

#include <cstddef>
#include <string>

#include "lazult/core/core.hpp"

namespace lazult::watch {

// What a suspended unit waits for, as far as its door knows.
struct known_wait {
    const char* kind;                             // such as "mutex"
    const void* object;                           // the object's address
    const core::work_unit* held_by = nullptr;     // the mutex's holder; nullptr: not known
    const core::work_unit* for_end_of = nullptr;  // for a join: the unit, also in `object`
    std::string words{};  // what the report says; empty: the kind and the address
};

// "mutex 0x7f0000001234", or the words of the wait. Does not look at the two units.
std::string object_words(const known_wait& of);

// Of a wait for many objects, reports and traces say so many, and how many more there are.
inline constexpr std::size_t most_told = 6;

// What reports and traces call a park.
inline constexpr const char* park_words = "resumption by name (unpark)";

}  // namespace lazult::watch
