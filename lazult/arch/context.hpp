// SPDX-License-Identifier: BSD-3-Clause
// Contexts: saving, starting, switching and abandoning a thread of control on its own stack.
//
// Source of the techniques: Iwasaki et al., SC18, Figures 3, 4, 8 and 12. One file in assembly per
// architecture implements the functions below; `generic/` is their twin over <ucontext.h>.
//
// What a context keeps: the callee-saved registers, the floating-point control words and the stack
// pointer. What it does not keep: the signal mask, errno and the C++ exception state (floor 5 moves
// the last two).
//
// Where a function takes an `after` function, that runs on the target's stack when the old context
// is saved entirely, so it may publish that context to other threads or give its stack back. Null
// is allowed. In assembly it stands on the target's suspended frame, so it may throw into the
// target, if that called where exceptions may pass.
//
// A host is a scheduler's loop: its floating-point control words are the process's defaults, and it
// does not return from the function that it switches in. The functions named after it rely on both.
#pragma once

#include <cstddef>

namespace lazult::arch {

// A suspended thread of control: the value of its stack pointer, below which its registers are
// saved.
using context = void*;
using entry_function = void (*)(void*);

// Bytes that a started or called stack keeps above its first frame (return slot, saved stack
// pointer, end).
inline constexpr std::size_t entry_area = 32;
// Every stack top handed to the functions below is a multiple of this.
inline constexpr std::size_t stack_alignment = 16;

// Where a thread of control goes at its end: a context, and what its `left` function gets.
struct departure {
    context to;
    void* argument;
};

// What runs on a fresh stack. `entry(self)` may never return; if it does, control leaves its stack
// for good, and `left(argument)` runs on the next stack, before the context there continues, unless
// the argument is null.
struct entry_record {
    departure (*entry)(void* self);
    void (*left)(void* argument);
};

extern "C" {

// Saves the caller, a unit, in `*save`, and continues `to`, another unit. With an entry record,
// `to` is the top of a fresh stack, and its function runs there. The caller may be in a queue
// already, and another thread may resume it as soon as it reads `*save`. So the switch leaves the
// caller's stack first, and then writes `*save` with release.
void lazult_switch(context* save, context to, entry_function after, void* argument,
                   const entry_record* fresh = nullptr, void* self = nullptr) noexcept;
// The same between a unit and a host.
void lazult_switch_to_host(context* save, context to, entry_function after,
                           void* argument) noexcept;
void lazult_switch_from_host(context* save, context to, entry_function after = nullptr,
                             void* argument = nullptr) noexcept;

// Abandons the caller and continues `to`.
[[noreturn]] void lazult_jump(context to, entry_function after, void* argument) noexcept;

// Saves the caller, a unit, and runs `what` on a fresh stack.
void lazult_start(context* save, std::byte* top, const entry_record* what, void* self,
                  entry_function after, void* argument) noexcept;
// The same from a host.
void lazult_start_from_host(context* save, std::byte* top, const entry_record* what,
                            void* self) noexcept;
// Abandons the caller; otherwise as lazult_start. The control words in force stay: the thread that
// ended has put them back.
[[noreturn]] void lazult_start_over(std::byte* top, const entry_record* what, void* self,
                                    entry_function after, void* argument) noexcept;

// Return on completion: saves the caller in `*save` and calls `entry(self)` on a fresh stack.
// Returns when `entry` returns, by a plain return, unless lazult_redirect_return was applied to the
// stack meanwhile.
void lazult_call_saved(context* save, std::byte* top, entry_function entry, void* self) noexcept;
// The same from a host.
void lazult_call_saved_from_host(context* save, std::byte* top, entry_function entry,
                                 void* self) noexcept;

// Stack separation: as lazult_call_saved, but saves nothing but the stack pointer.
void lazult_call_on(std::byte* top, entry_function entry, void* self) noexcept;

// Rewrites the return slot of a stack that lazult_call_saved or lazult_call_on started: when its
// `entry` returns, `end->entry(nullptr)` runs there instead of the caller, on the same stack.
void lazult_redirect_return(std::byte* top, const entry_record* end) noexcept;

// The floating-point control words that fresh stacks start with: the ABI's, until a caller's are
// adopted (before any other thread runs). Whether those in force differ from them, and setting them
// back.
void lazult_adopt_control_words() noexcept;
bool lazult_control_words_changed() noexcept;
void lazult_reset_control_words() noexcept;
}

}  // namespace lazult::arch
