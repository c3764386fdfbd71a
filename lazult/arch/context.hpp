// SPDX-License-Identifier: BSD-3-Clause
// Contexts: functions that save, start, switch and abandon a thread of control on its own stack.
//
// Source of the techniques: Iwasaki et al., SC18, Figures 3, 4, 8 and 12. For each architecture one
// assembly file implements the functions below. `generic/` implements them over <ucontext.h>.
//
// A context keeps the callee-saved registers, the floating-point control words and the stack
// pointer. It does not keep the signal mask, errno and the C++ exception state (core/ moves the
// last two).
//
// `after(argument)`, where a function takes it and it is not null, runs on the target's stack once
// the old context is saved completely. So it may publish that context to other threads, or free its
// stack. In the assembly versions its frame lies on top of the target's suspended frame. So it may
// throw into the target, if the target called from a place where exceptions may pass.
//
// A "host" here is a scheduler's loop. Its floating-point control words are the process's defaults,
// and it never returns from the function in which it switches. Functions with `host` in their names
// rely on both.
#pragma once

#include <cstddef>

namespace lazult::arch {

// A suspended thread of control: its stack pointer, at which the saved registers begin.
using context = void*;
using entry_function = void (*)(void*);

// Bytes at the top of a started or called stack, above its first frame: the return slot, the
// caller's stack pointer and the entry record of the end.
inline constexpr std::size_t entry_area = 32;
// Every stack top handed to the functions below is a multiple of this.
inline constexpr std::size_t stack_alignment = 16;

// Where control goes when a thread of control ends: the next context, and the argument of `left`.
struct departure {
    context to;
    void* argument;
};

// What runs on a fresh stack: `entry(self)`. If it returns, control leaves this stack for ever and
// goes to the context in the departure. On that context's stack `left(argument)` runs first, unless
// the argument is null.
struct entry_record {
    departure (*entry)(void* self);
    void (*left)(void* argument);
};

extern "C" {

// Saves the caller, a unit, in `*save`, and continues `to`, another unit. If `fresh` is not null,
// `to` is the top of a fresh stack, and `fresh->entry(self)` runs there. The caller may be in a
// pool already, and another thread may resume it as soon as that thread reads `*save`. So the
// switch leaves the caller's stack first, and then stores `*save` with release.
void lazult_switch(context* save, context to, entry_function after, void* argument,
                   const entry_record* fresh = nullptr, void* self = nullptr) noexcept;
// Do what lazult_switch() does, from a unit to a host and from a host to a unit.
void lazult_switch_to_host(context* save, context to, entry_function after,
                           void* argument) noexcept;
void lazult_switch_from_host(context* save, context to, entry_function after = nullptr,
                             void* argument = nullptr) noexcept;

// Abandons the caller and continues `to`.
[[noreturn]] void lazult_jump(context to, entry_function after, void* argument) noexcept;

// Saves the caller, a unit, in `*save`, and runs `what->entry(self)` on a fresh stack.
void lazult_start(context* save, std::byte* top, const entry_record* what, void* self,
                  entry_function after, void* argument) noexcept;
// Does what lazult_start() does, for a caller that is a host (defined at the top of this file). So
// it may save the default control words in place of those in force.
void lazult_start_from_host(context* save, std::byte* top, const entry_record* what,
                            void* self) noexcept;
// Runs `what->entry(self)` on a fresh stack and abandons the caller. Keeps the control words that
// are in force, because the unit that has just ended has reset them.
[[noreturn]] void lazult_start_over(std::byte* top, const entry_record* what, void* self,
                                    entry_function after, void* argument) noexcept;

// Return on completion: saves the caller in `*save` and calls `entry(self)` on a fresh stack.
// Returns when `entry` returns, by a plain return, unless lazult_redirect_return was applied to the
// stack meanwhile.
void lazult_call_saved(context* save, std::byte* top, entry_function entry, void* self) noexcept;
// Does what lazult_call_saved() does, for a caller that is a host.
void lazult_call_saved_from_host(context* save, std::byte* top, entry_function entry,
                                 void* self) noexcept;

// Stack separation: does what lazult_call_saved() does, but saves the stack pointer only.
void lazult_call_on(std::byte* top, entry_function entry, void* self) noexcept;

// Redirects the return of the `entry` that lazult_call_saved() or lazult_call_on() runs on the
// stack `top`. When that entry returns, `end->entry(nullptr)` runs on the same stack, and the
// caller does not continue.
void lazult_redirect_return(std::byte* top, const entry_record* end) noexcept;

// The default control words, with which fresh stacks start: those of the ABI, until
// lazult_adopt_control_words() makes the caller's the default, before any other thread runs.
// lazult_control_words_changed() returns true if the words in force differ from the default;
// lazult_reset_control_words() puts the default in force.
void lazult_adopt_control_words() noexcept;
bool lazult_control_words_changed() noexcept;
void lazult_reset_control_words() noexcept;
}

}  // namespace lazult::arch
