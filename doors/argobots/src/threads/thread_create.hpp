// SPDX-License-Identifier: BSD-3-Clause
// Bringing work units into being.
#pragma once

#include "door.hpp"
#include "threads/attributes.hpp"

namespace lazult::abt {

// Attributes of units for which nobody asked for anything.
struct unit_defaults {
    core::unit_attributes ult[2];      // unnamed, named
    core::unit_attributes tasklet[2];  // unnamed, named
};
// field                     written by                       read by    order
// the_defaults              ABT_init                         creators   published by runtime_is_up
// header_of_quick_tasklets  ABT_init, a tool's registration  creators   relaxed: a hint which way
//                                                                       to take
LAZULT_HIDDEN extern unit_defaults the_defaults;
// Of named tasklets, as one word; 0 while a tool wants to hear of them, and before the first
// ABT_init.
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<std::uint64_t> header_of_quick_tasklets;
// After either of the two it depends on has changed.
void choose_quick_tasklets() noexcept;

// The technique of units for which none was chosen. A program that asks for guards by mprotect
// expects one below each ULT, so each ULT has its own stack then.
core::technique default_technique() noexcept;

// Makes a unit that core::prepare() made elsewhere one of this door's: the primary ULT, main
// schedulers' identities.
void become_unit(work_unit& u, std::uint16_t bits) noexcept;

// What a creation asks for.
struct birth {
    sched::ready_pool& home;
    core::entry_function entry;
    void* argument;
    bool named;
};

// A unit that nobody knows yet. On error the code, and `made` stays nullptr. A null attribute means
// the defaults.
int prepare_ult(const birth& wanted, ABT_thread_attr attr, work_unit*& made) noexcept;
int prepare_tasklet(const birth& wanted, work_unit*& made) noexcept;

// Makes it available. If it has no name it may be gone when this returns.
void launch(work_unit* u) noexcept;

// The calling ULT becomes ready, and a unit that is not launched runs in its place: creation or
// revival.
void give_way_to_child(const caller& me, work_unit* child, push_context how);

}  // namespace lazult::abt
