// SPDX-License-Identifier: BSD-3-Clause
// How a unit is created if the caller passes no attributes.
#pragma once

#include "units/thread_part.hpp"

namespace lazult::abt {

// The attributes of units that are created without attributes.
struct unit_defaults {
    core::unit_attributes ult[2];      // unnamed, named
    core::unit_attributes tasklet[2];  // unnamed, named
};
// field                     written by                        read by    order
// the_defaults              ABT_init                          creators   runtime_is_up publishes
// header_of_quick_tasklets  ABT_init, registration of a tool  creators   relaxed: a hint only
LAZULT_HIDDEN extern unit_defaults the_defaults;
// The header of a named tasklet with default attributes, as one word. 0 closes the short cut that
// creates tasklets, for example while a tool listens and before the first ABT_init.
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<std::uint64_t> header_of_quick_tasklets;

// Computes header_of_quick_tasklets anew. Called when the_defaults or the set of tools has changed.
void choose_quick_tasklets(bool tools_listen) noexcept;

// Returns the technique of units for which the program chose none. If the program asks for guards
// by mprotect, it expects a guard below each ULT. Then lazy_stack replaces adaptive, so that each
// ULT has a stack of its own.
core::technique default_technique() noexcept;

// Computes the_defaults. ABT_init calls it after the settings are read, when no tool listens yet.
void compose_thread_defaults() noexcept;

}  // namespace lazult::abt
