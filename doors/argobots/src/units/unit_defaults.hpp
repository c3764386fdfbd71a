// SPDX-License-Identifier: BSD-3-Clause
// How units are created for which nobody asked for anything.
#pragma once

#include "units/thread_part.hpp"

namespace lazult::abt {

// Attributes of units for which nobody asked for anything.
struct unit_defaults {
    core::unit_attributes ult[2];      // unnamed, named
    core::unit_attributes tasklet[2];  // unnamed, named
};
// the_defaults              ABT_init                         creators   published by runtime_is_up
// header_of_quick_tasklets  ABT_init, a tool's registration  creators   relaxed: a hint which way
//                                                                       to take
LAZULT_HIDDEN extern unit_defaults the_defaults;
// Of named tasklets, as one word; 0 while a tool wants to hear of them, and before the first
// ABT_init.
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<std::uint64_t> header_of_quick_tasklets;
// After either of the two it depends on has changed.

// After either of the two it depends on has changed: the defaults, and whether tools listen.
void choose_quick_tasklets(bool tools_listen) noexcept;

// The technique of units for which none was chosen. A program that asks for guards by mprotect
// expects one below each ULT, so each ULT has its own stack then.
core::technique default_technique() noexcept;

// By ABT_init, after the settings are known: no tool listens yet.
void compose_thread_defaults() noexcept;

}  // namespace lazult::abt
